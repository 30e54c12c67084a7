#include "encoding.h"

#include <charconv>

#include "options.h"

namespace posenc {
namespace tools {
namespace {

void AddSchedule(CLI::App& app, Spec* spec) {
  AddOption(app, "--base", "B", "Base of the frequencies, above 0", [=](const std::string& text) {
    spec->base = ParseReal("--base", text);
  })->default_str("10000");
  AddOption(app, "--exponent-dim", "X", "Divisor in the exponent -2i/X of the base, not 0 [D]",
            [=](const std::string& text) { spec->exponent_dim = ParseReal("--exponent-dim", text); });
  AddOption(app, "--position-scale", "S", "Radians per step of the first pair; multiplies every position",
            [=](const std::string& text) { spec->position_scale = ParseReal("--position-scale", text); })
      ->default_str("1");
}

}  // namespace

void AddEncodingOptions(CLI::App& app, Encoding* encoding) {
  AddOption(app, "--dim", "D", "Columns of a row (d_model), 1 .. 2^24", [=](const std::string& text) {
    encoding->spec.dim = ParseCount("--dim", text);
  })->required();
  AddOption(app, "--rows", "N", "Rows, one for each position from --first on",
            [=](const std::string& text) { encoding->rows = ParseCount("--rows", text); });
  AddOption(app, "--first", "P", "Position of the first row, in steps, |P| <= 2^31",
            [=](const std::string& text) { encoding->first = ParseInteger("--first", text); })
      ->default_str("0");
  AddSchedule(app, &encoding->spec);
  AddChoice<Layout>(app, "--layout",
                    "Columns: sines and cosines by turns, all sines first, or all cosines first",
                    &encoding->spec.layout,
                    {{Name(Layout::kInterleaved), Layout::kInterleaved},
                     {Name(Layout::kSinCos), Layout::kSinCos},
                     {Name(Layout::kCosSin), Layout::kCosSin}});
  AddChoice<Recipe>(app, "--recipe", "Rounding of the phase: none, or as float32 NumPy notebooks do (S = 1)",
                    &encoding->spec.recipe, {{"exact", Recipe::kExact}, {"f32_pow_div", Recipe::kF32PowDiv}});
  app.add_option("--target", encoding->target, "A name from 'posenc targets' [the best on this CPU]")
      ->type_name("NAME");
}

Encoder CreateEncoder(const Encoding& encoding) {
  Spec spec = encoding.spec;
  if (encoding.target) spec.target = FindTarget("--target", *encoding.target).name;
  Encoder encoder;
  Require(Encoder::Create(spec, &encoder));
  return encoder;
}

void RequirePositions(std::int64_t first, std::size_t rows) {
  if (rows == 0) return;
  if (first < -kMaxPosition || first > kMaxPosition ||
      rows - 1 > static_cast<std::uint64_t>(kMaxPosition - first)) {
    Require(Status::kPositionOutOfRange);
  }
}

const char* Name(Layout layout) {
  switch (layout) {
    case Layout::kInterleaved:
      return "interleaved";
    case Layout::kSinCos:
      return "sin_cos";
    case Layout::kCosSin:
      break;
  }
  return "cos_sin";
}

std::string Describe(const Spec& spec) {
  std::string text = "dim " + std::to_string(spec.dim) + ", base " + Shortest(spec.base) + ", ";
  text += Name(spec.layout);
  if (spec.exponent_dim) text += ", exponent_dim " + Shortest(*spec.exponent_dim);
  if (spec.position_scale != 1.0) text += ", position_scale " + Shortest(spec.position_scale);
  if (spec.recipe == Recipe::kF32PowDiv) text += ", f32_pow_div";
  return text;
}

std::string Shortest(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace tools
}  // namespace posenc
