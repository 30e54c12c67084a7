// This library beside an older one, such as the last commit's: --before=libposenc.so, a shared build of it.
#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "normal.h"
#include "posenc/accuracy.h"
#include "posenc/models.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary.h"
#include "rotary_case.h"
#include "suite.h"

namespace posenc {
namespace bench {
namespace {

constexpr std::size_t kDims[] = {128, 320, 1024};
constexpr Shape kShapes[] = {{1, 1024}, {16, 512}, {512, 512}, {65536, 1024}};

#ifdef _WIN32
using Handle = HMODULE;
Handle Open(const std::string& path) { return LoadLibraryA(path.c_str()); }
auto SymbolOf(Handle library, const char* name) { return GetProcAddress(library, name); }
#else
using Handle = void*;
Handle Open(const std::string& path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }
auto SymbolOf(Handle library, const char* name) { return dlsym(library, name); }
#endif

// The C functions of another library, which stays loaded.
class Library {
 public:
  explicit Library(const std::string& path) : handle_(Open(path)) {}

  // False if it is none, or lacks a function.
  bool Find() {
    return Find("posenc_spec_init", &spec_init) && Find("posenc_encoder_create", &create) &&
           Find("posenc_encoder_destroy", &destroy) && Find("posenc_write", &write) &&
           Find("posenc_add", &add) && Find("posenc_rotary_create", &rotary_create) &&
           Find("posenc_rotary_destroy", &rotary_destroy) && Find("posenc_rotate", &rotate);
  }

  decltype(&posenc_spec_init) spec_init = nullptr;
  decltype(&posenc_encoder_create) create = nullptr;
  decltype(&posenc_encoder_destroy) destroy = nullptr;
  decltype(&posenc_write) write = nullptr;
  decltype(&posenc_add) add = nullptr;
  decltype(&posenc_rotary_create) rotary_create = nullptr;
  decltype(&posenc_rotary_destroy) rotary_destroy = nullptr;
  decltype(&posenc_rotate) rotate = nullptr;

 private:
  template <class Function>
  bool Find(const char* name, Function* function) {
    const auto symbol = handle_ == nullptr ? nullptr : SymbolOf(handle_, name);
    static_assert(sizeof(symbol) == sizeof(*function));
    std::memcpy(function, &symbol, sizeof(symbol));
    return symbol != nullptr;
  }

  Handle handle_;
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
  const std::shared_ptr<posenc_encoder> owned(old, before.destroy);
  T* out = Output().Get<T>(shape.entries());
  const int first = FirstPosition(shape);
  if (operation == "Write") {
    MeasureChecked(
        state, shape.work<T>(), [&] { return encoder.Write(first, shape.rows, out, shape.dim); },
        {{"before_ratio", [&] { before.write(old, first, shape.rows, TypeOf<T>(), out, shape.dim); }}});
  } else if constexpr (!std::is_same_v<T, double>) {
    MeasureChecked(
        state, shape.work<T>(), [&] { return encoder.Add(first, shape.rows, out, shape.dim, kAlternating); },
        {{"before_ratio",
          [&] { before.add(old, first, shape.rows, TypeOf<T>(), out, shape.dim, kAlternating); }}},
        [&] { FillNormal(out, shape.entries()); });
  }
}

template <class T>
void RotateBeside(benchmark::State& state, const std::string& path, const RotaryCase& which,
                  const std::string& target) {
  Library before(path);
  if (!before.Find()) return Fail(state, "--before: no shared libposenc");
  const posenc_rotary_spec spec = which.spec(target.c_str());
  posenc_rotary *now = nullptr, *old = nullptr;
  const bool is_created = posenc_rotary_create(&spec, &now) == POSENC_OK;
  const std::shared_ptr<posenc_rotary> owned(now, posenc_rotary_destroy);
  if (!is_created || before.rotary_create(&spec, &old) != POSENC_OK)
    return Fail(state, "--before: creates no rotary");
  const std::shared_ptr<posenc_rotary> owned_before(old, before.rotary_destroy);
  T* x = Output().Get<T>(which.entries());
  const auto [q, k] = TensorsOf(which, x);
  const posenc_heads tensors[] = {q, k};
  MeasureInPlace(
      state, {which.entries(), which.entries() * sizeof(T)},
      [&] { posenc_rotate(now, 0, which.tokens, TypeOf<T>(), tensors, 2); },
      {{"before_ratio", [&] { before.rotate(old, 0, which.tokens, TypeOf<T>(), tensors, 2); }}},
      [&] { FillNormal(x, which.entries()); });
}

// Both specs are of this library's size: members that the other one does not know are 0.
template <class Spec, class Handle>
void CreateBeside(benchmark::State& state, const Spec& spec, posenc_status (*create)(const Spec*, Handle**),
                  void (*destroy)(Handle*), posenc_status (*create_before)(const Spec*, Handle**),
                  void (*destroy_before)(Handle*)) {
  const auto created = [&spec](auto make, auto end) {
    Handle* handle = nullptr;
    const posenc_status status = make(&spec, &handle);
    benchmark::DoNotOptimize(handle);
    end(handle);
    return status;
  };
  if (created(create, destroy) != POSENC_OK || created(create_before, destroy_before) != POSENC_OK)
    return Fail(state, "--before: creates none");
  MeasureInPlace(state, {1, 0}, [&] { created(create, destroy); },
                 {{"before_ratio", [&] { created(create_before, destroy_before); }}});
}

void CreateEncoderBeside(benchmark::State& state, const std::string& path, std::size_t dim, bool lists_only,
                         const std::string& target) {
  Library before(path);
  if (!before.Find()) return Fail(state, "--before: no shared libposenc");
  Spec spec = MakeSpec(dim, target);
  spec.lists_only = lists_only;
  CreateBeside<posenc_spec, posenc_encoder>(state, spec, posenc_encoder_create, posenc_encoder_destroy,
                                            before.create, before.destroy);
}

void CreateRotaryBeside(benchmark::State& state, const std::string& path, const char* preset,
                        const std::string& target) {
  Library before(path);
  posenc_rotary_spec spec;
  if (!before.Find() || posenc_rotary_spec_preset(&spec, sizeof(spec), preset, 128) != POSENC_OK)
    return Fail(state, "--before: no shared libposenc, or no such preset");
  spec.target = target.c_str();
  CreateBeside<posenc_rotary_spec, posenc_rotary>(state, spec, posenc_rotary_create, posenc_rotary_destroy,
                                                  before.rotary_create, before.rotary_destroy);
}

void RegisterCreateBefore(const std::string& path, const TargetNames& targets) {
  for (const std::string& target : targets) {
    for (const std::size_t dim : kDims) {
      for (const bool lists_only : {false, true}) {
        Register("Before/Create/f32/" + std::to_string(dim) + (lists_only ? "/lists_only/" : "/") + target,
                 [=](benchmark::State& state) { CreateEncoderBeside(state, path, dim, lists_only, target); });
      }
    }
    for (const char* preset : {"llama", "llama3"}) {
      Register("Before/Create/" + std::string(preset) + "/128/" + target,
               [=](benchmark::State& state) { CreateRotaryBeside(state, path, preset, target); });
    }
  }
}

template <class T>
void RegisterRotateBefore(const std::string& path, RotaryCase which, const TargetNames& targets) {
  for (const std::size_t tokens : kTokens) {
    which.tokens = tokens;
    for (const bool is_heads_first : {false, true}) {
      which.is_heads_first = is_heads_first;
      RegisterEach("Before/" + NameOf(TypeOf<T>(), which), which.entries(), targets,
                   [=](benchmark::State& state, const std::string& target) {
                     RotateBeside<T>(state, path, which, target);
                   });
    }
  }
}

template <class T>
void RegisterBeside(const std::string& path, const std::string& operation, const TargetNames& targets) {
  for (const Shape shape : kShapes) {
    RegisterEach("Before/" + operation + "/" + TraitsOf(TypeOf<T>()).name + "/" + shape.name() + "/",
                 shape.entries(), targets, [=](benchmark::State& state, const std::string& target) {
                   Beside<T>(state, path, operation, shape, target);
                 });
  }
}

}  // namespace

void RegisterBefore(const std::string& path, const TargetNames& targets) {
  RegisterCreateBefore(path, targets);
  for (const Arithmetic arithmetic : {Arithmetic::kExact, Arithmetic::kFast}) {
    for (const Pairing pairing : {Pairing::kHalfSplit, Pairing::kNeighbours}) {
      RegisterRotateBefore<float>(path, {arithmetic, pairing}, targets);
      RegisterRotateBefore<BFloat16>(path, {arithmetic, pairing}, targets);
      RegisterRotateBefore<Float16>(path, {arithmetic, pairing}, targets);
    }
  }
  for (const char* operation : {"Write", "Add"}) {
    RegisterBeside<float>(path, operation, targets);
    RegisterBeside<BFloat16>(path, operation, targets);
    RegisterBeside<Float16>(path, operation, targets);
  }
  RegisterBeside<double>(path, "Write", targets);  // doubles are only written
}

}  // namespace bench
}  // namespace posenc
