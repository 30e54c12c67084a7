// A fixture for tests that run once for each compiled target, and what they share: creating an encoder,
// writing rows, comparing bits.
#ifndef POSENC_TESTS_PER_TARGET_H_
#define POSENC_TESTS_PER_TARGET_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "number/elements.h"
#include "posenc/posenc.h"
#include "refusal.h"
#include "spec/tables.h"

// GoogleTest finds this where posenc_target is, so it is outside the namespace posenc.
inline void PrintTo(const posenc_target& target, std::ostream* os) { *os << target.name; }

namespace posenc {

// For arguments of the C functions: a pointer to a struct, valid until the call ends.
template <class T>
const T* PointerTo(const T& of_call) {
  return &of_call;
}

// All layouts.
inline const std::vector<posenc_layout> kLayouts = [] {
  std::vector<posenc_layout> layouts;
  for (std::size_t i = 0; i < internal::WordsOf("layout").size(); ++i)
    layouts.push_back(static_cast<posenc_layout>(i));
  return layouts;
}();
inline constexpr posenc_layout kAddedLayouts[] = {POSENC_INTERLEAVED, POSENC_SIN_COS,
                                                  POSENC_COS_SIN};  // their runs add angles
inline constexpr const char* kReference = "REFERENCE";

inline const char* Name(posenc_layout layout) { return internal::WordOf<internal::Of::layout>(layout); }

inline std::vector<posenc_target> CompiledTargets() {
  posenc_target targets[POSENC_MAX_TARGETS];
  return {targets, targets + Targets(targets)};
}

inline std::vector<posenc_target> RunnableTargets() {
  std::vector<posenc_target> runnable;
  for (const posenc_target& target : CompiledTargets()) {
    if (target.runnable != 0) runnable.push_back(target);
  }
  return runnable;
}

// A suite over all compiled targets. Targets that this CPU cannot run are reported as skipped.
class PerTarget : public testing::TestWithParam<posenc_target> {
 protected:
  void SetUp() override {
    if (GetParam().runnable == 0) GTEST_SKIP() << "this CPU cannot run " << GetParam().name;
  }

  const char* target() const { return GetParam().name; }
  bool IsReference() const { return std::string(target()) == kReference; }
};

#define POSENC_INSTANTIATE_PER_TARGET(Suite)                                      \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(posenc::CompiledTargets()), \
                           [](const auto& param_info) { return std::string(param_info.param.name); })

inline Encoder Create(const posenc_spec& spec) {
  Encoder encoder;
  EXPECT_EQ(Encoder::Create(spec, &encoder), POSENC_OK);
  return encoder;
}

inline Spec MakeSpec(std::size_t dim, const char* target = nullptr,
                     posenc_layout layout = POSENC_INTERLEAVED) {
  Spec spec;
  spec.dim = dim;
  spec.target = target;
  spec.layout = layout;
  return spec;
}

template <class T>
bool SameBits(const T* a, const T* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(T)) == 0;
}

template <class T>
bool SameBits(T a, T b) {
  return SameBits(&a, &b, 1);
}

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && SameBits(a.data(), b.data(), a.size());
}

// Calls visit(T()) for each type T of entries to which posenc adds. Failures name the type.
template <class Visit>
void ForEachType(const Visit& visit) {
  static_assert(std::size(internal::kSummands) == 3, "visit each");
  {
    SCOPED_TRACE("float");
    visit(float());
  }
  {
    SCOPED_TRACE("BFloat16");
    visit(BFloat16());
  }
  {
    SCOPED_TRACE("Float16");
    visit(Float16());
  }
}

// The same for each type that posenc writes.
template <class Visit>
void ForEachEntryType(const Visit& visit) {
  static_assert(std::size(internal::kEntries) == 4, "visit each");
  ForEachType(visit);
  SCOPED_TRACE("double");
  visit(double());
}

// Writes rows [rows, dim] at first_position, first_position + 1, ...
template <class T = float>
std::vector<T> Write(const Encoder& encoder, std::int64_t first_position, std::size_t rows) {
  std::vector<T> table(rows * encoder.dim());
  EXPECT_EQ(encoder.Write(first_position, rows, {table.data(), encoder.dim()}), POSENC_OK);
  return table;
}

// Writes rows [positions.size(), dim] at a list of positions.
template <class T = float, class Position>
std::vector<T> WriteAt(const Encoder& encoder, const std::vector<Position>& positions) {
  std::vector<T> table(positions.size() * encoder.dim());
  EXPECT_EQ(encoder.WriteAt(positions.data(), positions.size(), {table.data(), encoder.dim()}), POSENC_OK);
  return table;
}

template <class Position = std::int64_t>
std::vector<Position> Consecutive(std::int64_t first, std::size_t count) {
  std::vector<Position> positions(count);
  for (std::size_t r = 0; r < count; ++r) {
    positions[r] = static_cast<Position>(first + static_cast<std::int64_t>(r));
  }
  return positions;
}

}  // namespace posenc

#endif  // POSENC_TESTS_PER_TARGET_H_
