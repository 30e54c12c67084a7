// Rows Limit/...: the rates of memset, ordinary stores and streaming stores, by size.
#include "memory_limits.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr Shape kShapes[] = {{1, 1024},   {16, 512},   {512, 512},   {4096, 128},
                             {5000, 512}, {5120, 512}, {65536, 1024}};

struct Limit {
  const char* name;
  void (*fill)(float*, std::size_t);
};
constexpr Limit kLimits[] = {{"memset", FillMemset}, {"stores", FillStores}, {"stream", FillStream}};

}  // namespace

void RegisterLimits() {
  for (const Shape shape : kShapes) {
    for (const Limit limit : kLimits) {
      Register(std::string("Limit/") + limit.name + "/" + shape.name(), [=](benchmark::State& state) {
        float* out = Output().Get<float>(shape.entries());
        Measure(state, shape.work<float>(), [=] { limit.fill(out, shape.entries()); });
      });
    }
  }
}

}  // namespace bench
}  // namespace posenc
