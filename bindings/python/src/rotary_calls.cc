// The methods of posenc.Rotary that rotate tensors and write caches.

#include <nanobind/nanobind.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "angles.h"
#include "members.h"
#include "norm.h"
#include "posenc/rotary_slots_c.h"
#include "rotary.h"
#include "spec/tables.h"
#include "torch.h"

namespace posenc_python {
namespace {

constexpr char kRotateInstead[] =
    "write q * cos + rotate_half(q) * sin, with the tensors of rotary.cache(..., layout=\"duplicated\"), "
    "which "
    "torch records";

// A tensor, and which of its axes are tokens and heads: [..., tokens, heads, head_dim], [..., heads, tokens,
// head_dim] or [tokens, head_dim].
struct Tensor {
  Tensor(const Rotary& rotary, nb::handle object, const std::string& name, Access access, int64_t token_axis,
         const char* instead = kRotateInstead)
      : array(object, name.c_str(), access, instead) {
    array.RequireType({POSENC_F32, POSENC_BF16, POSENC_F16});
    array.RequireColumns(rotary.rotary.head_dim());
    const auto least = token_axis == -3 ? 3u : 2u;
    if (array.axes() < least) {
      RaiseValue(name + " must have at least " + std::to_string(least) + " axes; its shape is " +
                 ToText(array.shape()));
    }
    const size_t last = array.axes() - 1;
    token = last + 1 - static_cast<size_t>(-token_axis);
    head = token == last - 1 ? last - 2 : last - 1;
    has_heads = array.axes() > 2;
    if (has_heads) heads = array.Join(head, head + 1);
    tokens = array.Join(token, token + 1);
    // A tensor that overlaps itself cannot be written. As a source it cannot be passed, because a stride of 0
    // means the stride of the result.
    const bool is_empty = array.count() == 0;
    if (!is_empty && ((tokens.count > 1 && tokens.stride == 0) || (heads.count > 1 && heads.stride == 0))) {
      RaiseValue(name + ": its tokens or heads overlap in memory");
    }
    if (heads.count <= 1 || is_empty) heads.stride = rotary.rotary.head_dim();
    if (tokens.count <= 1 || is_empty) tokens.stride = heads.count * heads.stride;
    batch = Shape(array.shape().begin(), array.shape().end() - (has_heads ? 3 : 2));
    batch_count = 1;
    for (const int64_t n : batch) batch_count *= static_cast<size_t>(n);
  }

  // The heads of element b of the batch, counted in C order.
  posenc_heads Heads(size_t b, double scale, bool inverse) const {
    int64_t offset = 0;
    for (size_t axis = batch.size(); axis-- > 0;) {
      const auto n = static_cast<size_t>(batch[axis]);
      offset += static_cast<int64_t>(b % n) * array.strides()[axis];
      b /= n;
    }
    posenc_heads result{};
    result.type = array.type();
    result.data = static_cast<char*>(array.data()) + offset * static_cast<int64_t>(array.size());
    result.heads = heads.count;
    result.token_stride = tokens.stride;
    result.head_stride = heads.stride;
    result.scale = scale;
    result.inverse = inverse ? 1 : 0;
    return result;
  }

  Array array;
  size_t token, head;
  bool has_heads;
  Steps heads{1, 0}, tokens{1, 0};
  Shape batch;
  size_t batch_count;
};

std::vector<double> ToScales(nb::handle scale, size_t count) {
  if (!PyList_Check(scale.ptr()) && !PyTuple_Check(scale.ptr())) {
    return std::vector<double>(count, ToReal(scale, "scale"));
  }
  std::vector<double> scales;
  for (const nb::handle one : nb::borrow<nb::object>(scale)) scales.push_back(ToReal(one, "scale"));
  if (scales.size() != count) RaiseValue("scale must be a number, or one for each tensor");
  return scales;
}

// The arguments that may differ between the tensors of a call, besides the scale. Class Each reads them.
struct Given {
  nb::handle dtype, out, slots, slot_axis, factors, norm;
};

// An argument that may differ between tensors. With one tensor the argument is the value. With several
// tensors it is a list with a value, or None, for each. None holds for all tensors. If `is_for_all`, so does
// any argument that is not a list.
class Each {
 public:
  Each(nb::handle argument, size_t count, const char* name, bool is_for_all = false)
      : argument_(argument), is_list_(IsList(argument)) {
    if (count == 1 || argument.is_none() || (is_for_all && !is_list_)) {
      is_list_ = false;
    } else if (!is_list_ || nb::len(argument) != count) {
      RaiseValue(name + std::string(" must be a list with an entry for each tensor, which may be None"));
    }
  }

  nb::object operator[](size_t i) const {
    return is_list_ ? nb::object(argument_[i]) : nb::borrow<nb::object>(argument_);
  }

 private:
  // A posenc.Norm is a tuple, but a single value.
  static bool IsList(nb::handle argument) {
    return (PyList_Check(argument.ptr()) || PyTuple_Check(argument.ptr())) && !IsNorm(argument);
  }

  nb::handle argument_;
  bool is_list_;
};

// The name of an argument for tensor i.
std::string NameFor(const char* argument, size_t i, size_t count) {
  return count == 1 ? argument : argument + ("[" + std::to_string(i) + "]");
}

// A paged cache, and the slots of a tensor's tokens in it.
struct Paged {
  Paged(const Rotary& rotary, const Tensor& from, nb::handle cache, const std::string& name, nb::handle given,
        const std::string& slots_name, int64_t slot_axis)
      : array(cache, name.c_str(), Access::kWrite), list(given, slots_name.c_str(), true) {
    const bool is_slots_first = slot_axis == -3;
    const size_t dim = rotary.rotary.head_dim(), offset = is_slots_first ? 1 : 2, head = 3 - offset;
    const std::string layout =
        is_slots_first ? "[blocks, block_size, heads, head_dim]" : "[blocks, heads, block_size, head_dim]";
    if (!from.batch.empty()) {
      RaiseValue(from.array.name() +
                 " must have no batch beside slots: join its axes to [tokens, heads, head_dim], " +
                 "or with token_axis=-2 to [heads, tokens, head_dim]; its shape is " +
                 ToText(from.array.shape()));
    }
    if (array.axes() != 4) {
      RaiseValue(name + " must be " + layout + " with slots; its shape is " + ToText(array.shape()));
    }
    array.RequireColumns(dim);
    const Shape& shape = array.shape();
    if (static_cast<size_t>(shape[head]) != from.heads.count) {
      RaiseValue(
          name + " must have " + std::to_string(from.heads.count) + " heads, as " + from.array.name() +
          ", and has " + std::to_string(shape[head]) + ": its shape " + ToText(shape) + " is read as " +
          layout +
          (is_slots_first ? "; pass slot_axis=-2 if it is [blocks, heads, block_size, head_dim]" : ""));
    }
    const Shape tokens = {static_cast<int64_t>(from.tokens.count)};
    if (list.shape() != tokens) {
      RaiseValue(slots_name + " must have the shape " + ToText(tokens) + ", a slot for each token, not " +
                 ToText(list.shape()));
    }
    const Steps blocks = array.Join(0, 1), offsets = array.Join(offset, offset + 1);
    heads = array.Join(head, head + 1);
    // The stride of an axis without a second element is not used. This one is right for any check.
    size_t inner = dim;
    const auto stride = [&inner](const Steps& steps) {
      const size_t its = steps.count <= 1 ? inner : steps.stride;
      inner = steps.count * its;
      return its;
    };
    heads.stride = is_slots_first ? stride(heads) : heads.stride;
    slots.offset_stride = stride(offsets);
    heads.stride = is_slots_first ? heads.stride : stride(heads);
    slots.block_stride = stride(blocks);
    slots.block_size = offsets.count;
    slots.count = blocks.count * offsets.count;
    slots.list = list.get();
  }

  // Which slot is wrong, for messages; empty if none is.
  std::string Fault() const {
    for (size_t t = 0; t < list.count(); ++t) {
      const int64_t slot = list.Integer(t);
      if (slot < -1 || slot >= static_cast<int64_t>(slots.count)) return list.At(t);
    }
    return "";
  }

  posenc_heads Heads(posenc_heads result) const {
    result.type = array.type();
    result.data = array.data();
    result.heads = heads.count;
    result.head_stride = heads.stride;
    result.slots = &slots;
    return result;
  }

  Array array;
  List list;
  posenc_slots slots{};
  Steps heads{};
};

// The factors of a tensor's tokens, [tokens] or [..., tokens], as floats.
struct Factors {
  Factors(nb::handle object, const std::string& name, const Tensor& tensor) {
    const List list(object, name.c_str(), false);
    const Shape run = {static_cast<int64_t>(tensor.tokens.count)};
    Shape all = tensor.batch;
    all.push_back(run[0]);
    if (list.shape() != run && list.shape() != all) {
      RaiseValue(name + " must have the shape " + ToText(run) + (all == run ? "" : " or " + ToText(all)) +
                 ", not " + ToText(list.shape()));
    }
    of_each = list.shape() == run ? 0 : tensor.tokens.count;
    floats.resize(list.count());
    for (size_t i = 0; i < list.count(); ++i) floats[i] = static_cast<float>(list.Real(i));
  }

  const float* Of(size_t b) const { return floats.data() + b * of_each; }

  std::vector<float> floats;
  size_t of_each;  // the factors of each sequence; 0 if all sequences have the same
};

// What a call does with a tensor: where the result goes, by which factors it multiplies, and how it
// normalizes before it rotates. If neither `tensor` nor `paged` is set, the tensor is rotated in place.
struct Result {
  std::unique_ptr<const Tensor> tensor;
  std::unique_ptr<const Paged> paged;
  std::unique_ptr<const Factors> factors;
  std::unique_ptr<const Norm> norm;
  nb::object object;  // the array of the result
};

// A new, contiguous array of the same shape, for the result. Without a dtype it has the same type, too.
nb::object Like(nb::handle object, const Array& array, nb::handle dtype) {
  if (!dtype.is_none()) return NewArray(array.shape(), dtype, object);
  const nb::object its = Attribute(object, "dtype");
  return NewArray(array.shape(), its.is_none() ? nb::str(NameOf(array.type())) : its, object);
}

// The tensors of a call. They have the same type and number of tokens.
struct Tensors {
  Tensors(const Rotary& rotary, const nb::args& objects, nb::handle scale, bool is_inverse,
          int64_t token_axis, const Given& given, bool in_place)
      : scales(ToScales(scale, objects.size())), inverse(is_inverse) {
    constexpr const char* kNames[] = {"q", "k"};
    const size_t count = objects.size();
    for (size_t i = 0; i < count; ++i) {
      const std::string name = i < 2 ? kNames[i] : "tensor " + std::to_string(i);
      if (scales[i] == 0.0) RaiseValue("scale of a tensor must be 2^-64 .. 2^64, and is 0");
      const Access access = in_place ? Access::kWrite : Access::kRead;
      const Tensor& tensor = all.emplace_back(rotary, objects[i], name, access, token_axis);
      if (tensor.array.type() != all[0].array.type()) RaiseType(name + " must be of the same type as q");
      if (tensor.tokens.count != all[0].tokens.count) {
        RaiseValue(name + " must have as many tokens as q, " + std::to_string(all[0].tokens.count) +
                   ", and has " + std::to_string(tensor.tokens.count));
      }
    }
    const Each dtypes(given.dtype, count, "dtype", true), outs(given.out, count, "out");
    const Each slots(given.slots, count, "slots"), factors(given.factors, count, "factors");
    const Each norms(given.norm, count, "norm");
    const int64_t slot_axis = ToInteger(given.slot_axis, "slot_axis");
    if (slot_axis != -3 && slot_axis != -2) {
      RaiseValue(
          "slot_axis must be -3, [blocks, block_size, heads, head_dim], or -2, [blocks, heads, block_size, "
          "head_dim]");
    }
    results.resize(count);
    for (size_t i = 0; i < count; ++i) {
      Result& result = results[i];
      const Tensor& tensor = all[i];
      if (const nb::object own = factors[i]; !own.is_none()) {
        result.factors = std::make_unique<Factors>(own, NameFor("factors", i, count), tensor);
      }
      if (const nb::object own = norms[i]; !own.is_none()) {
        result.norm = std::make_unique<Norm>(own, NameFor("norm", i, count), tensor.heads.count,
                                             rotary.rotary.head_dim());
      }
      if (in_place) {
        result.object = objects[i];
        continue;
      }
      const std::string name = NameFor("out", i, count), slots_name = NameFor("slots", i, count);
      const nb::object out = outs[i], dtype = dtypes[i], list = slots[i];
      const bool is_new = out.is_none();
      if (!is_new && !dtype.is_none()) RaiseValue("dtype and out exclude each other: out has a type");
      if (is_new && !list.is_none()) RaiseValue(slots_name + " needs " + name + ", the cache with the slots");
      result.object = is_new ? Like(objects[i], tensor.array, dtype) : out;
      if (!list.is_none()) {
        result.paged =
            std::make_unique<Paged>(rotary, tensor, result.object, name, list, slots_name, slot_axis);
      } else {
        const Access access = is_new ? Access::kWriteNew : Access::kWrite;
        result.tensor = std::make_unique<Tensor>(rotary, result.object, is_new ? tensor.array.name() : name,
                                                 access, token_axis, nullptr);
        result.tensor->array.RequireShape(tensor.array.shape());
      }
      const Array& array = result.paged ? result.paged->array : result.tensor->array;
      if (array.type() != tensor.array.type() && tensor.array.type() != POSENC_F32) {
        RaiseType((is_new ? "dtype" : name) + " must be " + NameOf(tensor.array.type()) + ", the type of " +
                  tensor.array.name() + ": only float32 may become another type");
      }
    }
  }

  // The heads of tensor i, for element b of the batch.
  posenc_heads Heads(size_t i, size_t b) const {
    const posenc_heads own = all[i].Heads(b, scales[i], inverse);
    const Result& result = results[i];
    posenc_heads heads = result.paged    ? result.paged->Heads(own)
                         : result.tensor ? result.tensor->Heads(b, scales[i], inverse)
                                         : own;
    if (result.factors) heads.token_factors = result.factors->Of(b);
    if (result.norm) heads.norm = result.norm->get();
    if (!result.paged && !result.tensor) return heads;
    heads.source_type = own.type;
    heads.source = own.data;
    heads.source_token_stride = own.token_stride;
    heads.source_head_stride = own.head_stride;
    return heads;
  }
  // The heads of all tensors: Append appends them for one element of the batch, and Heads returns them for
  // all elements.
  void Append(size_t b, std::vector<posenc_heads>* heads) const {
    for (size_t i = 0; i < all.size(); ++i) heads->push_back(Heads(i, b));
  }
  std::vector<posenc_heads> Heads() const {
    std::vector<posenc_heads> heads;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t b = 0; b < all[i].batch_count; ++b) heads.push_back(Heads(i, b));
    }
    return heads;
  }

  // Which slot a status is about, for messages; empty if it is about none.
  std::string Fault(posenc_status status) const {
    // The rule's sentence tells slots from positions and from angles, which are out of range, too.
    constexpr std::string_view kAboutSlots = "each slot ";
    const std::string_view sentence = posenc_status_message(status);
    if (sentence.substr(0, kAboutSlots.size()) != kAboutSlots) return "";
    for (const Result& result : results) {
      const std::string fault = result.paged ? result.paged->Fault() : "";
      if (!fault.empty()) return fault;
    }
    return "";
  }

  void MoveVersions() const {
    for (size_t i = 0; i < all.size(); ++i) {
      const Result& result = results[i];
      (result.paged    ? result.paged->array
       : result.tensor ? result.tensor->array
                       : all[i].array)
          .MoveVersion();
    }
  }

  size_t tokens() const { return all[0].tokens.count; }

  std::deque<Tensor> all;
  std::vector<Result> results;
  std::vector<double> scales;
  bool inverse;
};

// Checks the factors of a tensor that is rotated in several calls: rotates tokens of zeros by the least and
// the largest factor, and by one that is out of range if there is any.
posenc_status CheckFactors(const Rotary& rotary, const std::vector<float>& factors, double scale) {
  constexpr size_t kTokens = 3;
  float chosen[kTokens] = {1.0f, 1.0f, 1.0f};
  for (const float factor : factors) {
    const bool is_in_range = factor >= 0x1p-64f && factor <= 0x1p64f;
    if (is_in_range) {
      chosen[0] = std::min(chosen[0], factor);
      chosen[1] = std::max(chosen[1], factor);
    } else {
      chosen[2] = factor;
    }
  }
  const size_t dim = rotary.rotary.head_dim();
  std::vector<float> zeros(kTokens * dim);
  posenc_heads heads{};
  heads.type = POSENC_F32;
  heads.data = zeros.data();
  heads.heads = 1;
  heads.token_stride = heads.head_stride = dim;
  heads.scale = scale;
  heads.token_factors = chosen;
  // A source, because a large head cannot change its pairing in place.
  const std::vector<float> source(zeros);
  heads.source = source.data();
  return posenc_rotate(rotary.rotary.get(), 0, kTokens, &heads, 1);
}

// Checks the tensors of a call, which is split into several calls of the library. The position is always
// refused, but the library checks the tensors first, except their factors.
posenc_status CheckTensors(const Rotary& rotary, const Tensors& tensors) {
  const std::vector<posenc_heads> heads = tensors.Heads();
  posenc_status status =
      posenc_rotate(rotary.rotary.get(), INT64_MAX, tensors.tokens(), heads.data(), heads.size());
  if (IsOutOfRange(status)) status = POSENC_OK;
  for (size_t i = 0; i < tensors.results.size() && status == POSENC_OK; ++i) {
    const auto& factors = tensors.results[i].factors;
    if (factors && tensors.tokens() != 0) status = CheckFactors(rotary, factors->floats, tensors.scales[i]);
  }
  return status;
}

// Rotates when each element of the batch has its own positions. All positions and all tensors are checked
// before the first element is rotated, so a refused call changes nothing.
posenc_status RotateEach(const Rotary& self, const Positions& positions, const Tensors& tensors, size_t batch,
                         size_t* bad) {
  const posenc_rotary* rotary = self.rotary.get();
  const size_t tokens = tensors.tokens(), all = batch * tokens;
  posenc_status status = posenc_rotate_at(rotary, &positions.all, all, nullptr, 0, bad);
  if (status == POSENC_OK) status = CheckTensors(self, tensors);
  if (status != POSENC_OK) return status;
  const posenc_type type = positions.all.type;
  const size_t size = type == POSENC_I32 || type == POSENC_F32 ? 4 : 8;
  std::vector<char> own(positions.axes * tokens * size);
  const posenc_list of_one = {type, own.data()};
  for (size_t b = 0; b < batch; ++b) {
    for (size_t axis = 0; axis < positions.axes; ++axis) {
      const auto* from = static_cast<const char*>(positions.all.data) + (axis * all + b * tokens) * size;
      std::copy(from, from + tokens * size, own.begin() + static_cast<std::ptrdiff_t>(axis * tokens * size));
    }
    std::vector<posenc_heads> some;
    tensors.Append(b, &some);
    status = posenc_rotate_at(rotary, &of_one, tokens, some.data(), some.size(), nullptr);
    if (status != POSENC_OK) return status;
  }
  return POSENC_OK;
}

// The same by angles. If they are of other tokens or of another rotary, the first call is refused.
posenc_status RotateEachBy(const Rotary& rotary, const Angles& angles, int64_t first, const Tensors& tensors,
                           size_t batch) {
  posenc_status status = CheckTensors(rotary, tensors);
  for (size_t b = 0; b < batch && status == POSENC_OK; ++b) {
    std::vector<posenc_heads> some;
    tensors.Append(b, &some);
    status = RotateBy(rotary, angles, b, first, tensors.tokens(), some);
  }
  return status;
}

// Refuses the shape of positions or angles. `run` is the shape of positions that all sequences share, and
// `each` of positions for each sequence.
[[noreturn]] void RaiseShape(const char* name, const Array& q, const Shape& given, const Shape& run,
                             const Shape& each, int64_t token_axis) {
  const bool is_tokens_first = token_axis == -3;
  std::string right = name + (" must have the shape " + ToText(run));
  if (each != run) right += ", the same for all sequences, or " + ToText(each);
  right += ", not " + ToText(given) + ": q has the shape " + ToText(q.shape());
  if (q.axes() > 2) {
    right +=
        is_tokens_first
            ? ", read as [..., tokens, heads, head_dim]; pass token_axis=-2 if it is [..., heads, tokens, "
              "head_dim]"
            : ", read as [..., heads, tokens, head_dim]";
  }
  RaiseValue(right);
}

// Requires that all tensors have the same batch.
void RequireOneBatch(const Tensors& tensors) {
  for (const Tensor& tensor : tensors.all) {
    if (tensor.batch != tensors.all[0].batch) {
      RaiseValue(tensor.array.name() + " must have the same axes before tokens and heads as q");
    }
  }
}

void RotateBy(const Rotary& self, const Angles& angles, int64_t first, const Tensors& tensors,
              int64_t token_axis) {
  const Shape batch(angles.shape.begin(), angles.shape.end() - 1);
  const Shape& own = tensors.all[0].batch;
  if (!batch.empty() && batch != own) {
    Shape run = {static_cast<int64_t>(tensors.tokens())}, each = own;
    each.push_back(run[0]);
    RaiseShape("positions of angles", tensors.all[0].array, angles.shape, run, each, token_axis);
  }
  if (!batch.empty()) RequireOneBatch(tensors);
  const posenc_status status = Released([&] {
    return batch.empty() ? RotateBy(self, angles, 0, first, tensors.tokens(), tensors.Heads())
                         : RotateEachBy(self, angles, first, tensors, tensors.all[0].batch_count);
  });
  Check(status, tensors.Fault(status));
}

// Where the tokens of a call are: at positions, or at the tokens of angles from first_token on.
struct Where {
  nb::handle first, positions, angles, first_token;
};

void RotateAt(const Rotary& self, const Positions& positions, const Tensors& tensors, int64_t token_axis) {
  const Shape run = {static_cast<int64_t>(tensors.tokens())};
  Shape each = tensors.all[0].batch;
  each.push_back(run[0]);
  const posenc_rotary* rotary = self.rotary.get();
  size_t bad = 0;
  posenc_status status = POSENC_OK;
  if (!positions.list) {
    status = Released([&] {
      const std::vector<posenc_heads> heads = tensors.Heads();
      return posenc_rotate(rotary, positions.first, tensors.tokens(), heads.data(), heads.size());
    });
  } else if (positions.tokens == run) {
    status = Released([&] {
      const std::vector<posenc_heads> heads = tensors.Heads();
      return posenc_rotate_at(rotary, &positions.all, tensors.tokens(), heads.data(), heads.size(), &bad);
    });
  } else if (positions.tokens == each) {
    RequireOneBatch(tensors);
    status = Released([&] { return RotateEach(self, positions, tensors, tensors.all[0].batch_count, &bad); });
  } else {
    RaiseShape("positions", tensors.all[0].array, positions.tokens, run, each, token_axis);
  }
  const std::string fault = tensors.Fault(status);
  Check(status, fault.empty() ? positions.Fault(status, bad) : fault);
}

nb::object Rotate(const Rotary& self, const nb::args& objects, const Where& where, nb::handle scale,
                  nb::handle inverse, nb::handle token_axis, const Given& given, const nb::kwargs& unknown,
                  bool in_place) {
  RequireNoMore(unknown);
  RequireNoRecording();
  if (objects.size() == 0) RaiseType(in_place ? "rotate_ needs a tensor" : "rotate needs a tensor");
  const int64_t axis = ToInteger(token_axis, "token_axis");
  if (axis != -3 && axis != -2)
    RaiseValue(
        "token_axis must be -3, [..., tokens, heads, head_dim], or -2, [..., heads, tokens, head_dim]");
  const Angles* angles = ToAngles(where.angles);
  const int64_t first_token = ToInteger(where.first_token, "first_token");
  if (angles == nullptr && first_token != 0) RaiseValue("first_token needs angles");
  if (angles != nullptr && !(where.first.is_none() && where.positions.is_none())) {
    RaiseValue("angles exclude first and positions: they were made at positions");
  }
  const bool has_firsts = HasFirsts(where.first, where.positions);
  std::optional<Positions> positions;
  if (!has_firsts) positions.emplace(self, where.first, where.positions);
  const Tensors tensors(self, objects, scale, ToFlag(inverse, "inverse"), axis, given, in_place);
  if (has_firsts) positions.emplace(self, where.first, tensors.tokens(), &tensors.all[0].batch);
  if (angles != nullptr) {
    RotateBy(self, *angles, first_token, tensors, axis);
  } else {
    RotateAt(self, *positions, tensors, axis);
  }
  tensors.MoveVersions();
  if (objects.size() == 1) return tensors.results[0].object;
  nb::list results;
  for (const Result& result : tensors.results) results.append(result.object);
  return nb::tuple(results);
}

}  // namespace

nb::object RotateInPlace(const Rotary& self, const nb::args& objects, nb::handle first, nb::handle at,
                         nb::handle scale, nb::handle inverse, nb::handle token_axis, nb::handle angles,
                         nb::handle first_token, nb::handle factors, nb::handle norm,
                         const nb::kwargs& unknown) {
  const nb::object none = nb::none(), axis = nb::int_(-3);
  return Rotate(self, objects, {first, at, angles, first_token}, scale, inverse, token_axis,
                {none, none, none, axis, factors, norm}, unknown, true);
}

nb::object RotateToNew(const Rotary& self, const nb::args& objects, nb::handle first, nb::handle at,
                       nb::handle scale, nb::handle inverse, nb::handle token_axis, nb::handle angles,
                       nb::handle first_token, nb::handle factors, nb::handle norm, nb::handle dtype,
                       nb::handle out, nb::handle slots, nb::handle slot_axis, const nb::kwargs& unknown) {
  return Rotate(self, objects, {first, at, angles, first_token}, scale, inverse, token_axis,
                {dtype, out, slots, slot_axis, factors, norm}, unknown, false);
}

nb::object Cache(const Rotary& self, nb::handle tokens, const nb::args& more, nb::handle first, nb::handle at,
                 nb::handle layout, nb::handle dtype, const nb::kwargs& unknown) {
  RequireNoMore(more);
  RequireNoMore(unknown);
  RequireNoRecording();
  if (tokens.is_none() == at.is_none()) RaiseType("cache needs either tokens or positions");
  const Positions positions(self, first, at);
  const auto order =
      static_cast<posenc_cache_layout>(ToChoice(posenc::internal::WordsOf("cache_layout"), layout, "layout"));
  const size_t pairs = self.rotary.frequency_count();
  Shape shape = positions.list ? positions.tokens : Shape{static_cast<int64_t>(ToSize(tokens, "tokens"))};
  shape.push_back(static_cast<int64_t>(order == POSENC_CACHE_HALVES ? pairs : 2 * pairs));
  const bool two = order != POSENC_CACHE_COS_SIN && order != POSENC_CACHE_PAIRS;
  const nb::object cosines = NewArray(shape, dtype, at), sines = NewArray(two ? shape : Shape{0}, dtype, at);
  const Array cos(cosines, "cos", Access::kWriteNew), sin(sines, "sin", Access::kWriteNew);
  const CountedRows into = RowsOf(cos, static_cast<size_t>(shape.back()));
  const posenc_cache cache = {order, cos.type(), cos.data(), two ? sin.data() : nullptr, into.rows.stride};
  size_t bad = 0;
  const posenc_status status = Released([&] {
    return positions.list ? posenc_write_cache_at(self.rotary.get(), &positions.all, into.count, &cache, &bad)
                          : posenc_write_cache(self.rotary.get(), positions.first, into.count, &cache);
  });
  Check(status, positions.Fault(status, bad));
  if (two) return nb::make_tuple(cosines, sines);
  return cosines;
}

}  // namespace posenc_python
