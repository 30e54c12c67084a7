// What posenc verify writes and compares, of whatever noun: rows of entries, on every target, by every way
// that must give the same.
#ifndef POSENC_TOOLS_VERIFY_SUBJECT_H_
#define POSENC_TOOLS_VERIFY_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command/entries.h"
#include "kernel/rows.h"
#include "oracle/distances.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_MPFR
inline constexpr bool kHaveOracle = true;
#else
inline constexpr bool kHaveOracle = false;
#endif

inline constexpr char kReferenceName[] = "REFERENCE";

// The types that areas are written in: the oracle gives them together.
inline constexpr posenc_type kSharedTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16};

// One call for the entries of a subject.
struct Way {
  posenc_type type;     // of the entries
  const char* call;     // as reports name it
  std::size_t answer;   // which of Answers::entries it must give
  std::size_t numbers;  // which of Answers::distances are those of these
};

// What rows must be.
struct Answers {
  std::vector<Entries> entries;              // [rows, columns] each
  std::vector<oracle::Distances> distances;  // empty ones where nobody measured
};

// What one target wrote by one way.
struct Written {
  Entries entries;
  internal::Tally tally;  // stays 0 for the reference, which has one tier
  double seconds = 0.0;   // of one processor
};

// A subject in the hands of one thread.
class Trial {
 public:
  virtual ~Trial() = default;

  // Rows [row, row + rows): by the oracle or, built without it, by the library's own scalar path.
  virtual Answers Expect(std::size_t row, std::size_t rows) = 0;

  // The same rows by the target of that number; false if it has no such way.
  virtual bool Write(std::size_t target, const Way& way, std::size_t row, std::size_t rows,
                     Written* written) = 0;

  // How far an entry is from the real number, in ULP; 0 if that is not known.
  virtual double Ulp(const Way& way, std::size_t row, std::size_t column, std::uint64_t got) = 0;

  // Where the entry is, what was to be computed and, after the bits, what it is exactly.
  virtual std::string Place(const Way& way, std::size_t row, std::size_t column) = 0;
  virtual std::string Exact(const Way& way, std::size_t row, std::size_t column) = 0;
};

class Subject {
 public:
  virtual ~Subject() = default;

  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;     // entries of a row
  virtual std::size_t chunk_rows() const = 0;  // so many at a time
  virtual std::vector<Way> ways() const = 0;
  virtual std::string Describe() const = 0;
  virtual const char* EntryName(bool sine) const = 0;  // of a HardEntry

  // The subject must outlive it.
  virtual std::unique_ptr<Trial> Start(const std::vector<std::string>& targets) const = 0;
};

// Subjects that are reported together.
struct Group {
  std::string name;
  std::vector<std::shared_ptr<const Subject>> subjects;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_SUBJECT_H_
