#include "angles.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "bindings.h"
#include "torch.h"

namespace posenc_python {
namespace {

constexpr char kAnglesDoc[] =
    R"(The cosines and sines of a step's tokens, computed once for all layers: what Rotary.angles() returns.

Rotary.rotate and rotate_ take them instead of first or positions. Angles never change, so threads may share them. They keep
their Rotary alive, and only this Rotary takes them.)";

size_t SizeOf(posenc_type type) { return type == POSENC_I32 || type == POSENC_F32 ? 4 : 8; }

// The positions first + t of `count` tokens, on all axes.
std::vector<int64_t> Run(int64_t first, size_t count, size_t axes) {
  std::vector<int64_t> run(axes * count);
  for (size_t i = 0; i < run.size(); ++i) run[i] = first + static_cast<int64_t>(i % count);
  return run;
}

std::vector<char> BytesOf(const void* numbers, size_t bytes) {
  const auto* first = static_cast<const char*>(numbers);
  return std::vector<char>(first, first + bytes);
}

template <class To, class From>
void Convert(const std::vector<char>& numbers, void* to) {
  for (size_t i = 0; i < numbers.size() / sizeof(From); ++i) {
    From number;
    std::memcpy(&number, numbers.data() + i * sizeof(From), sizeof(From));
    static_cast<To*>(to)[i] = static_cast<To>(number);
  }
}

size_t CountOf(const Shape& shape) {
  size_t count = 1;
  for (const int64_t n : shape) count *= static_cast<size_t>(n);
  return count;
}

nb::object PositionsOf(const Angles& self) {
  const auto axes = static_cast<int64_t>(nb::cast<const Rotary&>(self.owner).axes);
  Shape shape = self.shape;
  if (axes > 1) shape.insert(shape.begin(), axes);
  const bool is_integer = self.type == POSENC_I32 || self.type == POSENC_I64;
  nb::object made = NewNumbers(shape, is_integer ? "int64" : "float64", nb::none());
  const Array array(made, "positions", Access::kWriteNew);
  if (self.type == POSENC_I32) Convert<int64_t, int32_t>(self.numbers, array.data());
  if (self.type == POSENC_I64) Convert<int64_t, int64_t>(self.numbers, array.data());
  if (self.type == POSENC_F32) Convert<double, float>(self.numbers, array.data());
  if (self.type == POSENC_F64) Convert<double, double>(self.numbers, array.data());
  return made;
}

// Refuses tokens that RotateBy refuses, and returns the positions of all.
nb::object PositionsFor(nb::handle angles, nb::handle first, nb::handle tokens) {
  const Angles& self = *ToAngles(angles);
  const auto& rotary = nb::cast<const Rotary&>(self.owner);
  Check(RotateBy(rotary, self, 0, ToInteger(first, "first_token"), ToSize(tokens, "tokens"), {}));
  return PositionsOf(self);
}

}  // namespace

Positions::Positions(const Rotary& rotary, nb::handle from, size_t count, const Shape* batch)
    : axes(rotary.axes) {
  list.emplace(from, "first", true);
  if (batch != nullptr && list->shape() != *batch) {
    RaiseValue("first must be an integer, or have the shape " + ToText(*batch) + ", not " +
               ToText(list->shape()));
  }
  tokens = list->shape();
  tokens.push_back(static_cast<int64_t>(count));
  run = count;
  if (count != 0 && list->count() > own.max_size() / axes / count) throw std::bad_alloc();
  own.reserve(axes * list->count() * count);
  for (size_t axis = 0; axis < axes; ++axis) {
    for (size_t b = 0; b < list->count(); ++b) {
      const int64_t start = list->Integer(b);
      for (int64_t t = 0; t < static_cast<int64_t>(count); ++t) {
        const bool is_far = start > INT64_MAX - t;  // then it is out of range, too
        own.push_back(is_far ? INT64_MAX : start + t);
      }
    }
  }
  all = {POSENC_I64, own.data()};
}

Positions::Positions(const Rotary& rotary, nb::handle from, nb::handle at) : axes(rotary.axes) {
  if (!from.is_none() && !at.is_none()) RaiseValue("first and positions exclude each other");
  if (at.is_none()) {
    first = from.is_none() ? 0 : ToInteger(from, "first");
    return;
  }
  list.emplace(at, "positions", false);
  all = list->get();
  tokens = list->shape();
  if (axes == 1) return;
  if (tokens.empty() || tokens[0] != static_cast<int64_t>(axes)) {
    RaiseValue("positions must have the shape [" + std::to_string(axes) + ", ...], not " + ToText(tokens));
  }
  tokens.erase(tokens.begin());
}

std::string Positions::Fault(posenc_status status, size_t bad) const {
  if (!IsOutOfRange(status)) return "";
  if (run != 0) return "tokens from " + list->At(bad / run) + " on";
  return list ? list->At(bad) : "tokens from first on";
}

bool HasFirsts(nb::handle first, nb::handle positions) {
  return !first.is_none() && !IsInteger(first) && positions.is_none();
}

nb::object MakeAngles(const Rotary& self, nb::handle tokens, const nb::args& more, nb::handle first,
                      nb::handle at, const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  if (tokens.is_none() == at.is_none()) RaiseType("angles needs either tokens or positions");
  Angles made;
  made.owner = nb::find(self);
  std::optional<Positions> given;
  const bool has_firsts = HasFirsts(first, at);
  const size_t own = at.is_none() ? ToSize(tokens, "tokens") : 0;
  size_t bytes = 0;
  if (!has_firsts) {
    given.emplace(self, first, at);
    made.shape = given->list ? given->tokens : Shape{static_cast<int64_t>(own)};
    if (made.shape.empty()) RaiseValue("positions must have an axis of tokens");
  } else {
    // The library refuses too many tokens here, before their positions take any memory.
    Check(self.rotary.AnglesMemorySize(own, &bytes));
    given.emplace(self, first, own, nullptr);
    made.shape = given->tokens;
  }
  const size_t count = CountOf(made.shape);
  Check(self.rotary.AnglesMemorySize(count, &bytes));
  made.memory.reset(new unsigned char[bytes]);  // not initialized
  size_t bad = 0;
  const posenc_status status = Released([&] {
    return given->list ? self.rotary.MakeAnglesAt({given->all.type, given->all.data}, count,
                                                  made.memory.get(), bytes, &made.made, &bad)
                       : self.rotary.MakeAngles(given->first, count, made.memory.get(), bytes, &made.made);
  });
  Check(status, given->Fault(status, bad));
  made.type = given->list ? given->all.type : POSENC_I64;
  if (given->list) {
    made.numbers = BytesOf(given->all.data, self.axes * count * SizeOf(made.type));
  } else {
    const std::vector<int64_t> run = Run(given->first, count, self.axes);
    made.numbers = BytesOf(run.data(), run.size() * sizeof(int64_t));
  }
  return nb::cast(std::move(made));
}

const Angles* ToAngles(nb::handle object) {
  if (object.is_none()) return nullptr;
  const Angles* angles = nullptr;
  if (!nb::try_cast(object, angles) || angles == nullptr) {
    RaiseType("angles must be what rotary.angles() returns, not " + TypeName(object));
  }
  return angles;
}

posenc_status RotateBy(const Rotary& rotary, const Angles& angles, size_t b, int64_t first, size_t tokens,
                       const std::vector<posenc_heads>& heads) {
  const auto own = static_cast<int64_t>(angles.tokens());
  const bool is_inside = first >= 0 && first <= own && tokens <= static_cast<size_t>(own - first);
  const int64_t at = is_inside ? static_cast<int64_t>(b) * own + first : -1;  // the library refuses -1
  return rotary.rotary.RotateByAngles(angles.made, at, tokens, {heads.data(), heads.size()});
}

void BindAngles(nb::module_& module) {
  nb::class_<Angles>(module, "Angles", nb::is_final(), kAnglesDoc)
      .def_prop_ro(
          "rotary", [](const Angles& self) { return self.owner; }, nb::sig("def rotary(self, /) -> Rotary"),
          "The Rotary that made them.")
      .def_prop_ro(
          "positions", &PositionsOf, nb::sig("def positions(self, /) -> posenc._types.Ndarray"),
          "The positions of the tokens, as a new array of int64 or float64: [tokens] or [..., tokens], "
          "or with several axes [axes, ...].")
      .def("__repr__",
           [](const Angles& self) { return "<posenc.Angles of tokens " + ToText(self.shape) + ">"; })
      .def("__reduce__",
           [](nb::handle) -> nb::object { RaiseType("posenc.Angles cannot be pickled: make them again"); })
      .def("__copy__", [](nb::object self) { return self; })
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; });
  module.def("positions_for", &PositionsFor, "angles"_a, "first_token"_a, "tokens"_a,
             nb::sig("def positions_for(angles: Angles, first_token: int, tokens: int) -> typing.Any"));
}

}  // namespace posenc_python
