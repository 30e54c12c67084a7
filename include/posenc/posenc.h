// posenc for C++17: sinusoidal position encodings.
//
//   to do this                                          call this
//   fill a table of encodings                           Encoder::Write
//   encode an array of positions (diffusion timesteps)  Encoder::WriteAt
//   add encodings to activations, also to one token     Encoder::Add
//   add in a decode step of a batch                     Encoder::AddAt
//   add to a batch, left-padded or not                  Encoder::AddBatch
//   look up tokens and add encodings in one pass        Encoder::Embed, Encoder::EmbedAt
//   encode the grid of an image's patches               WriteGrid         grid.h
//   rotate q and k (RoPE, M-RoPE, YaRN ...)             Rotary::Rotate    rotary.h
//   take a named convention (a preset)                  SpecPreset        models.h
//
//   posenc::Spec spec;
//   spec.dim = 512;
//   posenc::Encoder encoder;
//   posenc::Status status = posenc::Encoder::Create(spec, &encoder);
//   if (status == POSENC_OK) status = encoder.Write(0, rows, {table, 512});   // float table[rows][512]
//   if (status != POSENC_OK) puts(posenc_status_message(status));
//
// These classes are thin inline wrappers around the functions of C. posenc_c.h says what each function
// computes and refuses. The classes never throw. Threads may share an Encoder.
//
// Pass rows as {table, 512}: an array, or a pointer to its first element, and a stride. Elements are float,
// double, BFloat16, Float16 (types.h), std::int32_t or std::int64_t. posenc_c.h says which of these types a
// call takes. For a 16-bit type of your own write {POSENC_BF16, table, 512}, and for a lookup {ids,
// POSENC_BF16, table, vocabulary, stride}.
#ifndef POSENC_POSENC_H_
#define POSENC_POSENC_H_

#include <cstddef>
#include <cstdint>

#include "posenc/posenc_c.h"
#include "posenc/types.h"

namespace posenc {

// posenc_spec with its defaults. Only dim must be set.
struct Spec : posenc_spec {
  Spec() : posenc_spec{} { static_cast<void>(posenc_spec_init(this, sizeof(posenc_spec))); }
  explicit Spec(const posenc_spec& spec) : posenc_spec(spec) {}  // a copy, which points to the same arrays
};

// Fills targets [POSENC_MAX_TARGETS], the fastest first, and returns how many there are. This CPU may not
// have all of them: see posenc_target.
inline std::size_t Targets(posenc_target (&targets)[POSENC_MAX_TARGETS]) {
  return posenc_targets(targets, POSENC_MAX_TARGETS);
}

// Owns a posenc_encoder. Before Create an Encoder owns none, and every call fails. Encoders can be moved, but
// not copied.
class Encoder {
 public:
  // On failure *out stays as it was.
  [[nodiscard]] static Status Create(const posenc_spec& spec, Encoder* out) {
    if (out == nullptr) return posenc_encoder_create(&spec, nullptr);  // is refused
    return out->encoder_.Take([&](posenc_encoder** made) { return posenc_encoder_create(&spec, made); });
  }

  // The bytes of memory that CreateIn needs for this spec on this CPU.
  [[nodiscard]] static Status MemorySize(const posenc_spec& spec, std::size_t* bytes) {
    return posenc_encoder_memory_size(&spec, bytes);
  }

  // Creates *out in the caller's memory [bytes], and allocates nothing. Do not move or free the memory
  // while *out lives, or while another Encoder lives that *out was moved to. So declare the memory first. To
  // replace *out, call CreateIn again, with exactly the same memory or with memory that does not overlap it.
  [[nodiscard]] static Status CreateIn(const posenc_spec& spec, void* memory, std::size_t bytes,
                                       Encoder* out) {
    if (out == nullptr) return posenc_encoder_create_in(&spec, memory, bytes, nullptr);  // is refused
    return out->encoder_.Take(
        [&](posenc_encoder** made) { return posenc_encoder_create_in(&spec, memory, bytes, made); });
  }

  // What the Encoder was made with. Radians(i) is w_i in radians per step of p. Before Create these functions
  // return 0, -1, "", 0 and NaN.
  std::size_t dim() const { return posenc_encoder_dim(get()); }
  posenc_layout layout() const { return posenc_encoder_layout(get()); }
  const char* target() const { return posenc_encoder_target(get()); }
  std::size_t frequency_count() const { return posenc_encoder_frequency_count(get()); }
  double Radians(std::size_t i) const { return posenc_encoder_radians(get(), i); }

  // The object of C, for functions of C. Null before Create.
  const posenc_encoder* get() const { return encoder_.get(); }

  // PE(p) is the encoding of position p, and r = 0 .. rows - 1. posenc_c.h says what *bad_index becomes.

  // out[r] = PE(first_position + r)
  [[nodiscard]] Status Write(std::int64_t first_position, std::size_t rows, const Rows& out) const {
    return posenc_write(get(), first_position, rows, &out);
  }
  // out[r] = PE(positions[r])
  [[nodiscard]] Status WriteAt(const List& positions, std::size_t rows, const Rows& out,
                               std::size_t* bad_index = nullptr) const {
    return posenc_write_at(get(), &positions, rows, &out, bad_index);
  }
  // x[r] = x[r] * scale + PE(first_position + r)
  [[nodiscard]] Status Add(std::int64_t first_position, std::size_t rows, const Rows& x,
                           float scale = 1.0f) const {
    return posenc_add(get(), first_position, rows, &x, scale);
  }
  // x[r] = x[r] * scale + PE(positions[r])
  [[nodiscard]] Status AddAt(const List& positions, std::size_t rows, const Rows& x, float scale = 1.0f,
                             std::size_t* bad_index = nullptr) const {
    return posenc_add_at(get(), &positions, rows, &x, scale, bad_index);
  }
  // x[b][r] = x[b][r] * scale + PE(first_position + first_positions[b] + r)
  [[nodiscard]] Status AddBatch(const posenc_batch& batch, std::int64_t first_position, std::size_t rows,
                                const Rows& x, float scale = 1.0f, std::size_t* bad_index = nullptr) const {
    return posenc_add_batch(get(), &batch, first_position, rows, &x, scale, bad_index);
  }
  // out[r] = table[ids[r]] * scale + PE(first_position + r)
  [[nodiscard]] Status Embed(const Lookup& lookup, std::int64_t first_position, std::size_t rows,
                             const Rows& out, float scale = 1.0f, std::size_t* bad_index = nullptr) const {
    return posenc_embed(get(), &lookup, first_position, rows, &out, scale, bad_index);
  }
  // out[r] = table[ids[r]] * scale + PE(positions[r])
  [[nodiscard]] Status EmbedAt(const Lookup& lookup, const List& positions, std::size_t rows, const Rows& out,
                               float scale = 1.0f, std::size_t* bad_index = nullptr) const {
    return posenc_embed_at(get(), &lookup, &positions, rows, &out, scale, bad_index);
  }

 private:
  Owner<posenc_encoder, posenc_encoder_destroy> encoder_;
};

}  // namespace posenc

#endif  // POSENC_POSENC_H_
