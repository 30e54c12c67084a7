// torch_op_test LIBRARY: tests posenc::sinusoidal from C++, and compares it with the code of the PyTorch
// tutorials.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>

#include <cmath>
#include <cstdio>

namespace {

using Sinusoidal = at::Tensor(const at::Tensor&, std::int64_t, double, c10::optional<at::ScalarType>);

constexpr std::int64_t kRows = 5000, kDim = 512;

// The code of the tutorials, in the arithmetic of a type.
at::Tensor Recipe(at::ScalarType type) {
  const auto options = at::TensorOptions().dtype(type);
  const at::Tensor position = at::arange(kRows, options).unsqueeze(1);
  const at::Tensor phase = position * at::exp(at::arange(0, kDim, 2, options) * (-std::log(10000.0) / kDim));
  return at::stack({at::sin(phase), at::cos(phase)}, 2).reshape({kRows, kDim});
}

int failures = 0;

void Expect(bool condition, const char* what) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "this is false: %s\n", what);
}

double Largest(const at::Tensor& x) { return x.abs().max().item<double>(); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || dlopen(argv[1], RTLD_NOW) == nullptr) {
    std::fprintf(stderr, "usage: torch_op_test LIBRARY: %s\n", argc == 2 ? dlerror() : "");
    return 2;
  }
  const auto sinusoidal =
      c10::Dispatcher::singleton().findSchemaOrThrow("posenc::sinusoidal", "").typed<Sinusoidal>();
  const at::Tensor ours = sinusoidal.call(at::arange(kRows, at::kLong), kDim, 10000.0, at::kFloat);
  const at::Tensor exact = Recipe(at::kDouble), theirs = Recipe(at::kFloat);

  // The tolerance is half an ulp of a float below 1, and the error of the recipe in double. A float phase of
  // 5000 has an error of up to 2^-12.
  const double our_error = Largest(ours.to(at::kDouble) - exact);
  const double their_error = Largest(theirs.to(at::kDouble) - exact);
  Expect(ours.sizes() == at::IntArrayRef({kRows, kDim}), "the shape is [rows, dim]");
  Expect(our_error <= 0x1p-25 + 1e-11, "entries are within half an ulp");
  Expect(their_error <= 5000 * 12 * 0x1p-24, "the recipe is within its own float error");
  Expect(their_error > 100 * our_error, "the recipe has a float error");
  const at::Tensor narrow =
      sinusoidal.call(at::arange(kRows, at::kInt), kDim, 10000.0, at::kHalf).to(at::kDouble);
  Expect(Largest(narrow - exact) <= 0x1p-12 + 1e-11, "half entries are within half an ulp");
  try {
    sinusoidal.call(at::arange(3), 0, 10000.0, at::kFloat);
    Expect(false, "dim 0 is refused");
  } catch (const c10::Error& error) {
    std::printf("refused: %s\n", error.what_without_backtrace());
  }
  std::printf("largest error: posenc %.3g, the recipe in float %.3g\n", our_error, their_error);
  return failures == 0 ? 0 : 1;
}
