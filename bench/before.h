// What all rows of --before share. They compare two builds of posenc: each build is a plugin, and the two are
// called alternately.
#ifndef POSENC_BENCH_BEFORE_H_
#define POSENC_BENCH_BEFORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "before_plugin.h"
#include "posenc/accuracy.h"
#include "suite.h"

namespace posenc {
namespace bench {

struct Sides {
  const before_plugin *now, *before;
  TargetNames targets;  // targets that both builds have, best first
};

void RegisterEncodersBefore(const Sides& sides);  // before_rows.cc
void RegisterRotariesBefore(const Sides& sides);  // before_rotary_rows.cc

using Call = std::function<std::int32_t()>;  // returns a status of the plugin

// Work that both builds do.
struct Comparison {
  Work work;  // what a call writes to Output(); 0 bytes if it writes nothing there
  // Makes the call for one build. The call keeps alive what it needs. Throws the exceptions of Require.
  std::function<Call(const before_plugin& side)> make;
  std::function<void()> prepare = [] {};  // fills Output() before calls that change it
};

// If the status is not 0, throws std::runtime_error with the sentence for the status.
void Require(const before_plugin& side, std::int32_t status);

std::shared_ptr<const void> MakeEncoder(const before_plugin& side, const before_encoder_spec& spec);
std::shared_ptr<const void> MakeRotary(const before_plugin& side, const before_rotary_spec& spec);

// Measures both builds. The row fails if one of them refuses the work, or if they write different bytes,
// because then they do different work.
void Compare(benchmark::State& state, const std::string& name, const Sides& sides, const Comparison& row);

// Adds a row for each target that is fast enough for this number of entries. body(target) is a Comparison.
template <class Body>
void RegisterBeside(const std::string& prefix, std::size_t entries, const Sides& sides, const Body& body) {
  for (const std::string& target : sides.targets) {
    if (IsTooSlow(target, entries)) continue;
    const std::string name = "Before/" + prefix + target;
    Register(name, [=](benchmark::State& state) { Compare(state, name, sides, body(target)); });
  }
}

template <class T>
constexpr std::int32_t NumberOf() {
  switch (TypeOf<T>()) {
    case POSENC_F32:
      return BEFORE_F32;
    case POSENC_BF16:
      return BEFORE_BF16;
    case POSENC_F16:
      return BEFORE_F16;
    case POSENC_F64:
      return BEFORE_F64;
    case POSENC_I32:
      return BEFORE_I32;
    case POSENC_I64:
      return BEFORE_I64;
  }
  return 0;
}

template <class T>
std::string TypeName() {
  return TraitsOf(TypeOf<T>()).name;
}

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_BEFORE_H_
