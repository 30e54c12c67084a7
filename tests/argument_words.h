// The arguments of a call by name, and words that set them: "vocabulary=0", "tensors[0].data=null". The rows
// of refusals.inc are such words.
#ifndef POSENC_TESTS_ARGUMENT_WORDS_H_
#define POSENC_TESTS_ARGUMENT_WORDS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "calls.h"
#include "spec_words.h"

namespace posenc {

enum class Form { kSize, kInteger, kReal, kChoice, kPointer, kEncoder, kName };

struct Argument {
  std::string name;
  Form form;
  void* place;
  const char* says;                        // what a sentence calls it; bars separate several names
  const char* words = "";                  // the enum of a choice (values.inc)
  const posenc_type* list_type = nullptr;  // of a pointer that may point to a list
};

inline std::vector<Argument> ArgumentsOf(Arguments& a) {
  static const posenc_type factor_type = POSENC_F32;
  std::vector<Argument> all = {
      {"encoder", Form::kEncoder, &a.encoder, "encoder"},
      {"rotary", Form::kPointer, &a.rotary, "rotary"},
      {"type", Form::kChoice, &a.type, "type", "type"},
      {"list_type", Form::kChoice, &a.list_type, "type", "type"},
      {"table_type", Form::kChoice, &a.table_type, "type", "type"},
      {"position_type", Form::kChoice, &a.position_type, "type", "type"},
      {"list", Form::kPointer, &a.list, "position|each id|ids|rows|mask", "", &a.list_type},
      {"positions", Form::kPointer, &a.positions, "positions|position", "", &a.position_type},
      {"table", Form::kPointer, &a.table, "table"},
      {"rows_there", Form::kPointer, &a.rows_there, "out or x|positions"},
      {"list_there", Form::kPointer, &a.list_there, "positions|rows|ids|mask"},
      {"positions_there", Form::kPointer, &a.positions_there, "positions"},
      {"lookup_there", Form::kPointer, &a.lookup_there, "lookup"},
      {"batch_there", Form::kPointer, &a.batch_there, "batch"},
      {"data", Form::kPointer, &a.data, "out or x|memory|spec|bytes|items|positions|y and x"},
      {"other", Form::kPointer, &a.other, "encoder or rotary|y and x|angles"},
      {"rows", Form::kSize, &a.rows, "rows|tokens|list|dim|width|positions"},
      {"stride", Form::kSize, &a.stride, "stride of out or x|stride of positions"},
      {"batch", Form::kSize, &a.batch, "sequences|batch|height"},
      {"batch_stride", Form::kSize, &a.batch_stride, "stride of the batch"},
      {"vocabulary", Form::kSize, &a.vocabulary, "vocabulary"},
      {"table_stride", Form::kSize, &a.table_stride, "stride of the lookup"},
      {"list_stride", Form::kSize, &a.list_stride, "stride of ids"},
      {"first", Form::kInteger, &a.first, "first_position|row|padding_id|first_token"},
      {"past", Form::kInteger, &a.past, "past"},
      {"passed_axes", Form::kPointer, &a.passed_axes, "axes"},
      {"axis_count", Form::kSize, &a.axis_count, "axis_count|axis"},
      {"prefix_rows", Form::kSize, &a.prefix_rows, "rows"},
      {"passed_tensors", Form::kPointer, &a.passed_tensors, "tensors"},
      {"tensor_count", Form::kSize, &a.tensor_count, "tensors|list"},
      {"slots.type", Form::kChoice, &a.slots.list.type, "type of the list of slots", "type"},
      {"slots.list", Form::kPointer, &a.slots.list.data, "list of slots|slot", "", &a.slots.list.type},
      {"slots.count", Form::kSize, &a.slots.count, "count"},
      {"slots.block_size", Form::kSize, &a.slots.block_size, "block_size"},
      {"slots.block_stride", Form::kSize, &a.slots.block_stride, "block_stride|strides"},
      {"slots.offset_stride", Form::kSize, &a.slots.offset_stride, "offset_stride|strides"},
      {"cache.layout", Form::kChoice, &a.cache.layout, "layout", "cache_layout"},
      {"cache.type", Form::kChoice, &a.cache.type, "type", "type"},
      {"cache.cos", Form::kPointer, &a.cache.cos, "cos"},
      {"cache.sin", Form::kPointer, &a.cache.sin, "sin"},
      {"cache.row_stride", Form::kSize, &a.cache.row_stride, "row_stride"},
      {"passed_cache", Form::kPointer, &a.passed_cache, "cache"},
      {"cache_rows", Form::kSize, &a.cache_rows, "rows"},
      {"angles", Form::kPointer, &a.angles, "angles"},
      {"normalization", Form::kChoice, &a.normalization, "normalization"},
      {"normalization_scale", Form::kReal, &a.normalization_scale, "scale of the normalization"},
      {"normalization_offset", Form::kReal, &a.normalization_offset, "offset of the normalization"},
      {"spec", Form::kPointer, &a.spec, "spec"},
      {"name", Form::kName, &a.name, "name|head_dim"},
      {"bytes", Form::kSize, &a.bytes, "bytes|struct_size"},
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const auto add = [&](const std::string& array, const char* member, Form form, void* place,
                         const char* says, const char* words = "", const posenc_type* list_type = nullptr) {
      all.push_back({array + "[" + std::to_string(k) + "]." + member, form, place, says, words, list_type});
    };
    posenc_grid_axis& axis = a.axes[k];
    add("axes", "encoder", Form::kEncoder, &axis.encoder, "encoder|column + dim");
    add("axes", "column", Form::kSize, &axis.column, "column");
    add("axes", "count", Form::kSize, &axis.count, "counts|rows|positions");
    add("axes", "positions.type", Form::kChoice, &axis.positions.type, "type of positions", "type");
    add("axes", "positions.data", Form::kPointer, &axis.positions.data, "position", "", &axis.positions.type);
    add("axes", "first_position", Form::kInteger, &axis.first_position, "first_position");
    posenc_heads& tensor = a.tensors[k];
    add("tensors", "type", Form::kChoice, &tensor.type, "type", "type");
    add("tensors", "source_type", Form::kChoice, &tensor.source_type, "source_type", "type");
    add("tensors", "data", Form::kPointer, &tensor.data, "data");
    add("tensors", "heads", Form::kSize, &tensor.heads, "heads");
    add("tensors", "token_stride", Form::kSize, &tensor.token_stride, "token_stride|strides");
    add("tensors", "head_stride", Form::kSize, &tensor.head_stride, "head_stride|strides");
    add("tensors", "source", Form::kPointer, &tensor.source, "source");
    add("tensors", "source_token_stride", Form::kSize, &tensor.source_token_stride, "strides|source");
    add("tensors", "source_head_stride", Form::kSize, &tensor.source_head_stride, "strides|source");
    add("tensors", "scale", Form::kReal, &tensor.scale, "scale");
    add("tensors", "inverse", Form::kChoice, &tensor.inverse, "inverse");
    add("tensors", "reserved", Form::kChoice, &tensor.reserved, "reserved");
    add("tensors", "norm", Form::kPointer, &tensor.norm, "norm");
    add("tensors", "slots", Form::kPointer, &tensor.slots, "slots");
    add("tensors", "token_factors", Form::kPointer, &tensor.token_factors, "token_factors", "", &factor_type);
  }
  return all;
}

// Whether a sentence names what is called so.
inline bool Names(const std::string& sentence, const std::string& says) {
  for (const std::string& name : Split(says, '|')) {
    if (sentence.find(name) != std::string::npos) return true;
  }
  return false;
}

// A size in text: "7", "max", "max/4+1", "max-11".
inline std::size_t SizeIn(const std::string& text) {
  if (text.rfind("max", 0) != 0) return NumberOf<std::size_t>(text);
  const std::size_t sign = std::min(text.find_first_of("+-"), text.size());
  std::size_t size = std::numeric_limits<std::size_t>::max();
  if (text[3] == '/') size /= NumberOf<std::size_t>(text.substr(4, sign - 4));
  if (sign == text.size()) return size;
  const auto more = NumberOf<std::size_t>(text.substr(sign + 1));
  return text[sign] == '+' ? size + more : size - more;
}

// Sets arguments of a call. Keeps what they point to.
class ArgumentWords {
 public:
  explicit ArgumentWords(Call* call) : call_(call), arguments_(ArgumentsOf(call->a)) {}
  ~ArgumentWords() {
    for (posenc_encoder* encoder : encoders_) posenc_encoder_destroy(encoder);
  }
  ArgumentWords(const ArgumentWords&) = delete;
  ArgumentWords& operator=(const ArgumentWords&) = delete;

  const Argument* Find(const std::string& name) const {
    for (const Argument& argument : arguments_) {
      if (argument.name == name) return &argument;
    }
    return nullptr;
  }
  const Argument* Find(const void* place) const {
    for (const Argument& argument : arguments_) {
      if (argument.place == place) return &argument;
    }
    return nullptr;
  }

  void Set(const Argument& argument, const std::string& value) {
    switch (argument.form) {
      case Form::kSize:
        return Put(argument, SizeIn(value));
      case Form::kInteger:
        return Put(argument, NumberOf<std::int64_t>(value));
      case Form::kReal:
        return Put(argument, NumberOf<double>(value));
      case Form::kChoice:
        return Put(argument, Choice(argument.words, value));
      case Form::kName:
        return Put(argument, static_cast<const void*>(names_.emplace_back(value).c_str()));
      case Form::kEncoder:
        return Put(argument, MakeEncoder(value));
      case Form::kPointer:
        return Put(argument, Pointer(argument, value));
    }
  }

 private:
  template <class T>
  static void Put(const Argument& argument, T value) {
    std::memcpy(argument.place, &value, sizeof(value));
  }

  // A word of the enum, or any number.
  static std::int32_t Choice(const std::string& of, const std::string& value) {
    for (const internal::Value& known : internal::kValues) {
      if (of == known.enum_name && value == known.word) return known.number;
    }
    return NumberOf<std::int32_t>(value);
  }

  // null, or an encoder of its own: {dim=9}.
  const void* MakeEncoder(const std::string& value) {
    if (value == "null") return nullptr;
    const posenc_spec spec = EncoderSpec(value.substr(1, value.size() - 2));
    EXPECT_EQ(posenc_encoder_create(&spec, &encoders_.emplace_back(nullptr)), POSENC_OK) << value;
    return encoders_.back();
  }

  // null; a list, 0:1:-1; or where another pointer points to, and elements (e) and bytes (b) behind it:
  // data+2e-15b.
  const void* Pointer(const Argument& argument, const std::string& value) {
    if (value == "null") return nullptr;
    const std::size_t sign = value.find_first_of("+-");
    const Argument* const base = Find(value.substr(0, sign));
    if (base == nullptr) return List(*argument.list_type, value);
    const unsigned char* place;
    std::memcpy(&place, base->place, sizeof(place));
    for (std::size_t begin = sign; begin < value.size();) {
      const std::size_t end = value.find_first_of("eb", begin);
      auto distance = NumberOf<std::ptrdiff_t>(value.substr(begin + 1, end - begin - 1));
      if (value[end] == 'e') distance *= static_cast<std::ptrdiff_t>(SizeOfType(call_->a.type));
      place += value[begin] == '-' ? -distance : distance;
      begin = end + 1;
    }
    return place;
  }

  // There is room around a list, so that a tensor which overlaps it overlaps no other argument.
  const void* List(posenc_type type, const std::string& value) {
    constexpr std::size_t kRoom = 1 << 16;
    std::vector<unsigned char>& bytes = lists_.emplace_back();
    const auto keep = [&](const auto& numbers) {
      const std::size_t count = numbers.size() * sizeof(numbers[0]);
      bytes.resize(kRoom + count + kRoom);
      std::memcpy(bytes.data() + kRoom, numbers.data(), count);
    };
    if (type == POSENC_I32) keep(ListOf<std::int32_t>(value));
    if (type == POSENC_I64) keep(ListOf<std::int64_t>(value));
    if (type == POSENC_F32) keep(ListOf<float>(value));
    if (type == POSENC_F64) keep(ListOf<double>(value));
    return bytes.data() + kRoom;
  }

  Call* call_;
  std::vector<Argument> arguments_;
  std::deque<std::vector<unsigned char>> lists_;
  std::deque<std::string> names_;
  std::deque<posenc_encoder*> encoders_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_ARGUMENT_WORDS_H_
