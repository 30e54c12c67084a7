// Where the tokens of a call are: their positions, and posenc.Angles, the angles that were made at positions.
#ifndef POSENC_PYTHON_ANGLES_H_
#define POSENC_PYTHON_ANGLES_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "rotary.h"

namespace posenc_python {

// The positions of a call: a first position, a first position for each sequence, or a list. The list is
// [axes, ...], or [...] if a position has one axis.
struct Positions {
  // `from` is first positions [...], one for each sequence; each sequence has `count` tokens. If there is a
  // batch, the sequences must be its elements.
  Positions(const Rotary& rotary, nb::handle from, size_t count, const Shape* batch);
  // A first position or a list.
  Positions(const Rotary& rotary, nb::handle from, nb::handle at);

  // What a message says before the sentence of the library: which position is wrong.
  std::string Fault(posenc_status status, size_t bad) const;

  size_t axes;
  int64_t first = 0;
  std::optional<List> list;
  posenc_list all = {};  // the positions of a list, [axes, ...]
  size_t run = 0;        // with several first positions, the number of tokens from each
  std::vector<int64_t> own;
  Shape tokens;  // the shape of tokens, if there is a list
};

// Whether `first` is a first position for each sequence.
bool HasFirsts(nb::handle first, nb::handle positions);

// The angles of tokens, in memory of this object. They keep the Rotary alive, and never change.
struct Angles {
  size_t tokens() const { return static_cast<size_t>(shape.back()); }  // of each sequence

  nb::object owner;  // the Rotary
  posenc::Angles made;
  std::unique_ptr<unsigned char[]> memory;
  Shape shape;                // of the tokens: [tokens], or [..., tokens] if there are several sequences
  posenc_type type;           // of the positions
  std::vector<char> numbers;  // the positions, [axes, ...]
};

// The angles of an argument. Null for None. Raises TypeError for anything else.
const Angles* ToAngles(nb::handle object);

// Rotates by angles of sequence `b`, from its token `first` on. Refuses what the library refuses: angles of
// another rotary, and tokens without angles.
posenc_status RotateBy(const Rotary& rotary, const Angles& angles, size_t b, int64_t first, size_t tokens,
                       const std::vector<posenc_heads>& heads);

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ANGLES_H_
