// This library beside an older one, such as the last commit's: --before=libposenc.so, a shared build of it.
#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "posenc/posenc_c.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr Shape kShapes[] = {{1, 1024}, {16, 512}, {512, 512}, {65536, 1024}};

// The C functions of another library, which stays loaded.
class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

  // False if it is none, or lacks a function.
  bool Find() {
    return Find("posenc_spec_init", &spec_init) && Find("posenc_encoder_create", &create) &&
           Find("posenc_encoder_destroy", &destroy) && Find("posenc_write", &write) &&
           Find("posenc_add", &add);
  }

  decltype(&posenc_spec_init) spec_init = nullptr;
  decltype(&posenc_encoder_create) create = nullptr;
  decltype(&posenc_encoder_destroy) destroy = nullptr;
  decltype(&posenc_write) write = nullptr;
  decltype(&posenc_add) add = nullptr;

 private:
  template <class Function>
  bool Find(const char* name, Function* function) {
    void* symbol = handle_ == nullptr ? nullptr : dlsym(handle_, name);
    std::memcpy(function, &symbol, sizeof(symbol));
    return symbol != nullptr;
  }

  void* handle_;
};

struct Destroy {
  decltype(&posenc_encoder_destroy) destroy;
  void operator()(posenc_encoder* encoder) const { destroy(encoder); }
};

template <class T>
void Beside(benchmark::State& state, const std::string& path, const std::string& operation, Shape shape,
            const std::string& target) {
  Library before(path);
  if (!before.Find()) return Fail(state, "--before: no shared libposenc");
  Encoder encoder;
  if (!Created(state, MakeSpec(shape.dim, target), &encoder)) return;
  posenc_spec spec;
  posenc_encoder* old = nullptr;
  if (before.spec_init(&spec, sizeof(spec)) != POSENC_OK) return Fail(state, "--before: of another version");
  spec.dim = shape.dim;
  spec.target = target.c_str();
  if (before.create(&spec, &old) != POSENC_OK) return Fail(state, "--before: creates no encoder");
  const std::unique_ptr<posenc_encoder, Destroy> owned(old, {before.destroy});
  T* out = Output().Get<T>(shape.entries());
  std::memset(out, 0, shape.entries() * sizeof(T));
  const int first = FirstPosition(shape);
  if (operation == "Write") {
    MeasureChecked(
        state, shape.work<T>(), [&] { return encoder.Write(first, shape.rows, out, shape.dim); },
        {{"before_ratio", [&] { before.write(old, first, shape.rows, TypeOf<T>(), out, shape.dim); }}});
  } else if constexpr (!std::is_same_v<T, double>) {
    MeasureChecked(
        state, shape.work<T>(), [&] { return encoder.Add(first, shape.rows, out, shape.dim); },
        {{"before_ratio", [&] { before.add(old, first, shape.rows, TypeOf<T>(), out, shape.dim, 1.0f); }}});
  }
}

std::string Name(const std::string& operation, const char* type, Shape shape, const std::string& target) {
  return "Before/" + operation + "/" + type + "/" + shape.name() + "/" + target;
}

}  // namespace

void RegisterBefore(const std::string& path, const TargetNames& targets) {
  for (const char* operation : {"Write", "Add"}) {
    for (const Shape shape : kShapes) {
      for (const std::string& target : targets) {
        if (IsTooSlow(target, shape.entries())) continue;
        Register(Name(operation, "f32", shape, target),
                 [=](benchmark::State& state) { Beside<float>(state, path, operation, shape, target); });
        Register(Name(operation, "bf16", shape, target),
                 [=](benchmark::State& state) { Beside<BFloat16>(state, path, operation, shape, target); });
        if (operation != std::string("Write")) continue;  // doubles are only written
        Register(Name(operation, "f64", shape, target),
                 [=](benchmark::State& state) { Beside<double>(state, path, operation, shape, target); });
      }
    }
  }
}

}  // namespace bench
}  // namespace posenc
