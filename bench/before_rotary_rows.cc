// Rows of --before for rotaries: creation, rotation, and caches.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "before.h"
#include "contents.h"
#include "normal.h"
#include "rotary_case.h"

namespace posenc {
namespace bench {
namespace {

constexpr std::size_t kCachedTokens[] = {1, 48, 16384};
constexpr std::size_t kListedTokens[] = {1, 512};
constexpr Shape kCacheShape = {4096, kHeadDim};  // of the table
constexpr posenc_pairing kPairings[] = {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS};

struct NamedLayout {
  std::int32_t layout;
  const char* variant;
};
constexpr NamedLayout kLayouts[] = {
    {BEFORE_CACHE_COS_SIN, ""}, {BEFORE_CACHE_DUPLICATED, "duplicated/"}, {BEFORE_CACHE_PAIRS, "pairs/"}};

before_rotary_spec SpecOf(const RotaryCase& which, const std::string& target) {
  before_rotary_spec spec = {};
  spec.head_dim = kHeadDim;
  spec.base = 10000.0;
  spec.pairing = which.pairing == POSENC_NEIGHBOURS ? BEFORE_NEIGHBOURS : BEFORE_HALF_SPLIT;
  spec.arithmetic = which.arithmetic == POSENC_FAST ? BEFORE_FAST : BEFORE_EXACT;
  spec.scaling = BEFORE_NO_SCALING;
  spec.factor = 1.0;
  spec.target = target.c_str();
  return spec;
}

// q and k in Output(), rotated in place or read from `source`.
template <class T>
std::array<before_heads, 2> HeadsOf(const RotaryCase& which, const T* source = nullptr) {
  T* x = Output().Get<T>(which.entries());
  const auto heads = [&](std::size_t offset, std::size_t count) {
    return before_heads{NumberOf<T>(),
                        x + offset,
                        source == nullptr ? nullptr : source + offset,
                        count,
                        which.token_stride(count),
                        which.head_stride()};
  };
  return {heads(0, kQueryHeads), heads(which.key_offset(), kKeyHeads)};
}

template <class T>
Work WorkOf(const RotaryCase& which) {
  return {which.entries(), which.entries() * sizeof(T)};
}

template <class T>
std::function<void()> Normal(const RotaryCase& which) {
  return [=] { FillNormal(Output().Get<T>(which.entries()), which.entries()); };
}

Comparison Create(const before_rotary_spec& spec) {
  return {{1, 0}, [=](const before_plugin& side) -> Call {
            return [&side, spec] {
              void* rotary = nullptr;
              const std::int32_t status = side.create_rotary(&spec, &rotary);
              benchmark::DoNotOptimize(rotary);
              side.destroy_rotary(rotary);
              return status;
            };
          }};
}

template <class T>
Comparison Rotate(const RotaryCase& which, const std::string& target) {
  return {WorkOf<T>(which),
          [=](const before_plugin& side) -> Call {
            return [=, &side, rotary = MakeRotary(side, SpecOf(which, target)), heads = HeadsOf<T>(which)] {
              return side.rotate(rotary.get(), which.first, which.tokens, heads.data(), heads.size());
            };
          },
          Normal<T>(which)};
}

// Rotation at random positions, new ones in each call.
template <class T>
Comparison RotateAt(const RotaryCase& which, const std::string& target) {
  return {WorkOf<T>(which),
          [=](const before_plugin& side) -> Call {
            const auto positions = std::make_shared<RandomList<std::int64_t>>(0, 1 << 20);
            return [=, &side, rotary = MakeRotary(side, SpecOf(which, target)), heads = HeadsOf<T>(which)] {
              const before_list at = {BEFORE_I64, positions->Next(which.tokens)};
              return side.rotate_at(rotary.get(), &at, which.tokens, heads.data(), heads.size());
            };
          },
          Normal<T>(which)};
}

// Rotation of unusual elements. They are read from a source, so that every call gets the same elements.
template <class T>
Comparison RotateContent(const RotaryCase& which, const std::string& content, const std::string& target) {
  const auto odd = std::make_shared<std::vector<T>>(which.entries());
  FillHeads(content, which.pairing, odd->data(), odd->size());
  return {WorkOf<T>(which), [=](const before_plugin& side) -> Call {
            return [=, &side, rotary = MakeRotary(side, SpecOf(which, target)),
                    heads = HeadsOf<T>(which, odd->data())] {
              (void)odd;
              return side.rotate(rotary.get(), which.first, which.tokens, heads.data(), heads.size());
            };
          }};
}

// Writes a cache from position 0 on.
template <class T>
Comparison WriteCache(std::int32_t layout, const std::string& target) {
  const bool has_two_tables = layout == BEFORE_CACHE_DUPLICATED;
  const Shape all = {kCacheShape.rows, has_two_tables ? 2 * kCacheShape.dim : kCacheShape.dim};
  return {all.work<T>(), [=](const before_plugin& side) -> Call {
            T* out = Output().Get<T>(all.entries());
            const before_cache cache = {layout, NumberOf<T>(), out,
                                        has_two_tables ? out + kCacheShape.entries() : nullptr,
                                        kCacheShape.dim};
            return [=, &side, rotary = MakeRotary(side, SpecOf(RotaryCase(), target))] {
              return side.write_cache(rotary.get(), 0, kCacheShape.rows, &cache);
            };
          }};
}

// Rotation with a cache of the elements' type. Both builds read the same cache.
template <class T>
Comparison RotateCached(const RotaryCase& which, const std::string& target) {
  const auto memory = std::make_shared<Buffer>();
  return {WorkOf<T>(which),
          [=](const before_plugin& side) -> Call {
            const auto rotary = MakeRotary(side, SpecOf(which, target));
            const before_cache cache = {BEFORE_CACHE_COS_SIN, NumberOf<T>(),
                                        memory->Get<T>(which.tokens * kHeadDim), nullptr, kHeadDim};
            Require(side, side.write_cache(rotary.get(), which.first, which.tokens, &cache));
            return [=, &side, heads = HeadsOf<T>(which)] {
              (void)memory;
              return side.rotate_cached(rotary.get(), &cache, which.tokens, heads.data(), heads.size());
            };
          },
          Normal<T>(which)};
}

template <class Body>
void RegisterCase(std::string name, const RotaryCase& which, const Sides& sides, const Body& body) {
  RegisterBeside(name, which.entries(), sides,
                 [=](const std::string& target) { return body(which, target); });
}

void RegisterCreation(const Sides& sides) {
  RegisterBeside("Create/llama/128/", 1, sides,
                 [](const std::string& target) { return Create(SpecOf(RotaryCase(), target)); });
  RegisterBeside("Create/llama3/128/", 1, sides, [](const std::string& target) {
    before_rotary_spec spec = SpecOf(RotaryCase(), target);
    spec.base = 500000.0;
    spec.scaling = BEFORE_LLAMA3;
    spec.factor = 8.0;
    spec.original_length = 8192.0;
    return Create(spec);
  });
}

template <class T>
void RegisterRotation(const Sides& sides) {
  for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
    for (const posenc_pairing pairing : kPairings) {
      for (const std::size_t tokens : kTokens) {
        for (const bool is_heads_first : {false, true}) {
          const RotaryCase which{arithmetic, pairing, tokens, FirstOf(tokens), is_heads_first};
          RegisterCase(NameOf(TypeOf<T>(), which), which, sides, Rotate<T>);
        }
      }
    }
    for (const std::size_t tokens : kListedTokens) {
      const RotaryCase which{arithmetic, POSENC_HALF_SPLIT, tokens};
      RegisterCase("RotateAt" + NameOf(TypeOf<T>(), which).substr(6), which, sides, RotateAt<T>);
    }
  }
}

template <class T>
void RegisterContents(const Sides& sides) {
  for (const posenc_pairing pairing : kPairings) {
    const RotaryCase which{POSENC_EXACT, pairing, 48, 1000};
    for (const std::string content : kHeadContents) {
      RegisterCase(NameOf(TypeOf<T>(), which, content + "/"), which, sides,
                   [=](const RotaryCase& of, const std::string& target) {
                     return RotateContent<T>(of, content, target);
                   });
    }
  }
}

template <class T>
void RegisterCaches(const Sides& sides) {
  for (const NamedLayout& named : kLayouts) {
    RegisterBeside("RotaryCache/" + TypeName<T>() + "/" + kCacheShape.name() + "/" + named.variant,
                   kCacheShape.entries(), sides,
                   [=](const std::string& target) { return WriteCache<T>(named.layout, target); });
  }
  for (const posenc_pairing pairing : kPairings) {
    for (const std::size_t tokens : kCachedTokens) {
      const RotaryCase which{POSENC_FAST, pairing, tokens, FirstOf(tokens), false, true};
      RegisterCase(NameOf(TypeOf<T>(), which), which, sides, RotateCached<T>);
    }
  }
}

template <class T>
void RegisterType(const Sides& sides) {
  RegisterRotation<T>(sides);
  RegisterContents<T>(sides);
  RegisterCaches<T>(sides);
}

}  // namespace

void RegisterRotariesBefore(const Sides& sides) {
  RegisterCreation(sides);
  RegisterType<float>(sides);
  RegisterType<BFloat16>(sides);
  RegisterType<Float16>(sides);
}

}  // namespace bench
}  // namespace posenc
