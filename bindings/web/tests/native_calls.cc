// native_calls CALL ARGUMENT...: reads entries from standard input, calls one C function on them, and writes
// the entries. native_test.mjs compares them with the package's. Types and other enums are numbers. A list is
// its length and then its items.
//
//   add_batch PRESET DIM TYPE SCALE ROWS FIRST FIRSTS             x [batch, rows, dim]
//   embed PRESET DIM TYPE SCALE TABLE_TYPE FIRST IDS POSITIONS    table [vocabulary, dim]; at FIRST without
//                                                                 positions
//   grid DIM TYPE SCALE PREFIX_ROWS WIDTH {COLUMN COUNT LIST}...  x [rows, width], a list of COUNT positions
//                                                                 or none; written if SCALE is 0
//   rotate PRESET HEAD_DIM ARITHMETIC TYPE SOURCE_TYPE SCALE INVERSE TOKENS
//          {OFFSET HEADS TOKEN_STRIDE HEAD_STRIDE}s FIRST POSITIONS FACTORS
//                                                                 the source, in place if the types are
//                                                                 equal; at FIRST without positions; factors
//                                                                 for all tensors, for each tensor, or none
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "posenc/accuracy.h"
#include "posenc/grid_c.h"
#include "posenc/models_c.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace {

void Require(posenc_status status) {
  if (status == POSENC_OK) return;
  std::fprintf(stderr, "%s\n", posenc_status_message(status));
  std::exit(1);
}

// The words of the command line, one after the other.
class Words {
 public:
  explicit Words(char** words) : next_(words) {}

  bool IsEmpty() const { return *next_ == nullptr; }
  const char* Text() { return IsEmpty() ? "" : *next_++; }
  double Real() { return std::strtod(Text(), nullptr); }
  std::int64_t Integer() { return std::strtoll(Text(), nullptr, 10); }
  std::size_t Size() { return static_cast<std::size_t>(Integer()); }
  posenc_type Type() { return static_cast<posenc_type>(Integer()); }

  std::vector<std::int64_t> Integers() {
    std::vector<std::int64_t> list(Size());
    for (std::int64_t& item : list) item = Integer();
    return list;
  }
  std::vector<double> Reals() {
    std::vector<double> list(Size());
    for (double& item : list) item = Real();
    return list;
  }

 private:
  char** next_;
};

std::size_t SizeOf(posenc_type type) { return posenc::TraitsOf(type).size; }

std::vector<char> ReadAll() {
  std::vector<char> all;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) all.push_back(static_cast<char>(c));
  return all;
}

posenc_encoder* CreateEncoder(const char* preset, std::size_t dim) {
  posenc_spec spec;
  Require(posenc_spec_init(&spec, sizeof(spec)));
  spec.dim = dim;
  if (*preset != '\0') Require(posenc_spec_preset(&spec, sizeof(spec), preset, dim, nullptr));
  posenc_encoder* encoder = nullptr;
  Require(posenc_encoder_create(&spec, &encoder));
  return encoder;
}

void AddBatch(Words& words, std::vector<char>* x) {
  const char* preset = words.Text();
  const std::size_t dim = words.Size();
  const posenc_type type = words.Type();
  const auto scale = static_cast<float>(words.Real());
  const std::size_t rows = words.Size();
  const std::int64_t first = words.Integer();
  const std::vector<std::int64_t> firsts = words.Integers();
  posenc_encoder* encoder = CreateEncoder(preset, dim);
  const std::size_t batch = x->size() / SizeOf(type) / dim / rows;
  const posenc_batch sequences = {batch, rows * dim, {POSENC_I64, firsts.empty() ? nullptr : firsts.data()}};
  const posenc_rows to = {type, x->data(), dim};
  Require(posenc_add_batch(encoder, &sequences, first, rows, &to, scale, nullptr));
  posenc_encoder_destroy(encoder);
}

void Embed(Words& words, std::vector<char>* entries) {
  const char* preset = words.Text();
  const std::size_t dim = words.Size();
  const posenc_type type = words.Type();
  const auto scale = static_cast<float>(words.Real());
  const posenc_type table_type = words.Type();
  const std::int64_t first = words.Integer();
  const std::vector<std::int64_t> ids = words.Integers();
  const std::vector<double> positions = words.Reals();
  posenc_encoder* encoder = CreateEncoder(preset, dim);
  const std::size_t rows = ids.size(), vocabulary = entries->size() / SizeOf(table_type) / dim;
  std::vector<char> out(rows * dim * SizeOf(type));
  const posenc_lookup lookup = {{POSENC_I64, ids.data()}, table_type, entries->data(), vocabulary, dim};
  const posenc_list list = {POSENC_F64, positions.data()};
  const posenc_rows to = {type, out.data(), dim};
  Require(positions.empty() ? posenc_embed(encoder, &lookup, first, rows, &to, scale, nullptr)
                            : posenc_embed_at(encoder, &lookup, &list, rows, &to, scale, nullptr));
  posenc_encoder_destroy(encoder);
  *entries = out;
}

void Grid(Words& words, std::vector<char>* x) {
  const std::size_t dim = words.Size();
  const posenc_type type = words.Type();
  const auto scale = static_cast<float>(words.Real());
  const std::size_t prefix_rows = words.Size(), width = words.Size();
  posenc_encoder* encoder = CreateEncoder("", dim);
  std::vector<posenc_grid_axis> axes;
  std::vector<std::vector<double>> lists;
  while (!words.IsEmpty()) {
    posenc_grid_axis axis{};
    axis.encoder = encoder;
    axis.column = words.Size();
    axis.count = words.Size();
    axes.push_back(axis);
    lists.push_back(words.Reals());
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    axes[a].positions = {POSENC_F64, lists[a].empty() ? nullptr : lists[a].data()};
  }
  const posenc_rows to = {type, x->data(), width};
  Require(scale == 0.0f
              ? posenc_write_grid(axes.data(), axes.size(), prefix_rows, &to, nullptr, nullptr)
              : posenc_add_grid(axes.data(), axes.size(), prefix_rows, &to, scale, nullptr, nullptr));
  posenc_encoder_destroy(encoder);
}

void Rotate(Words& words, std::vector<char>* x) {
  const char* preset = words.Text();
  posenc_rotary_spec spec;
  Require(posenc_rotary_spec_preset(&spec, sizeof(spec), preset, words.Size(), nullptr));
  spec.arithmetic = static_cast<posenc_arithmetic>(words.Integer());
  posenc_rotary* rotary = nullptr;
  Require(posenc_rotary_create(&spec, &rotary));
  const posenc_type type = words.Type(), source_type = words.Type();
  const double scale = words.Real();
  const auto inverse = static_cast<std::int32_t>(words.Integer());
  const std::size_t tokens = words.Size();
  std::vector<char> converted(type == source_type ? 0 : x->size() / SizeOf(source_type) * SizeOf(type));
  std::vector<posenc_heads> tensors(words.Size());
  for (posenc_heads& heads : tensors) {
    const std::size_t offset = words.Size();
    heads = {};
    heads.type = type;
    heads.source_type = source_type;
    heads.data = x->data() + offset * SizeOf(type);
    if (type != source_type) {
      heads.source = x->data() + offset * SizeOf(source_type);
      heads.data = converted.data() + offset * SizeOf(type);
    }
    heads.heads = words.Size();
    heads.token_stride = words.Size();
    heads.head_stride = words.Size();
    heads.scale = scale;
    heads.inverse = inverse;
  }
  const std::int64_t first = words.Integer();
  const std::vector<double> positions = words.Reals(), given = words.Reals();
  std::vector<float> factors;
  for (const double factor : given) factors.push_back(static_cast<float>(factor));
  for (std::size_t i = 0; i < tensors.size() && !factors.empty(); ++i) {
    tensors[i].token_factors = factors.data() + (factors.size() == tokens ? 0 : i * tokens);
  }
  const posenc_list list = {POSENC_F64, positions.data()};
  Require(positions.empty()
              ? posenc_rotate(rotary, first, tokens, tensors.data(), tensors.size())
              : posenc_rotate_at(rotary, &list, tokens, tensors.data(), tensors.size(), nullptr));
  posenc_rotary_destroy(rotary);
  if (type != source_type) *x = converted;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::vector<char> entries = ReadAll();
  Words words(argv + 2);
  const std::string call = argv[1];
  if (call == "add_batch") AddBatch(words, &entries);
  if (call == "embed") Embed(words, &entries);
  if (call == "grid") Grid(words, &entries);
  if (call == "rotate") Rotate(words, &entries);
  std::fwrite(entries.data(), 1, entries.size(), stdout);
  return 0;
}
