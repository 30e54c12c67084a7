#include "command/encoding.h"

#include <charconv>
#include <cmath>

#include "command/options.h"

namespace posenc {
namespace tools {
namespace {

void AddSchedule(CLI::App& app, Encoding* encoding) {
  Spec* spec = &encoding->spec;
  AddOption(app, "--base", "B", "Base of the frequencies, above 0", [=](const std::string& text) {
    spec->base = ParseReal("--base", text);
  })->default_str("10000");
  AddOption(app, "--exponent-dim", "X", "Divisor in the exponent -2i/X of the base, not 0 [D]",
            [=](const std::string& text) {
              spec->exponent_dim = ParseReal("--exponent-dim", text);
              if (spec->exponent_dim == 0.0) throw UsageError("--exponent-dim must not be 0");
            });
  AddOption(app, "--position-scale", "S", "Multiplies every position, also with --frequencies",
            [=](const std::string& text) { spec->position_scale = ParseReal("--position-scale", text); })
      ->default_str("1");
  const std::vector<std::string> roundings = {"none",         "f32_pow_div", "f32_inv_freq",
                                              "f32_iterated", "f32_exp",     "f64_inv_freq"};
  std::vector<std::pair<std::string, std::string>> choices;
  choices.reserve(roundings.size());
  for (const std::string& name : roundings) choices.emplace_back(name, name);
  AddChoice<std::string>(app, "--phase-rounding",
                         "Rounding of the phase: none, or as float32 NumPy notebooks do (f32_pow_div, S = "
                         "1); the others are of --rotary",
                         &encoding->phase_rounding, choices);
}

// Instead of the schedule's.
void AddFrequencies(CLI::App& app, Encoding* encoding) {
  AddOption(app, "--frequencies", "LIST", "Frequencies of your own, ceil(D/2) of them: 1,0.01 or @FILE",
            [=](const std::string& text) { encoding->listed = text; })
      ->expected(0, 1);
  AddChoice<FrequencyUnit>(app, "--unit", "Of the frequencies, per step", &encoding->spec.frequencies.unit,
                           {{"radians", FrequencyUnit::kRadians},
                            {"half-turns", FrequencyUnit::kHalfTurns},
                            {"turns", FrequencyUnit::kTurns}});
}

}  // namespace

void AddEncodingOptions(CLI::App& app, Encoding* encoding) {
  AddOption(app, "--dim", "D", "Columns of a row (d_model), 1 .. 2^24",
            [=](const std::string& text) { encoding->spec.dim = ParseCount("--dim", text); });
  AddOption(app, "--rows", "N", "Rows, one for each position from --first on",
            [=](const std::string& text) { encoding->rows = ParseCount("--rows", text); });
  AddOption(app, "--first", "P", "Position of the first row, in steps, |P| <= 2^31",
            [=](const std::string& text) { encoding->first = ParseInteger("--first", text); })
      ->default_str("0");
  AddSchedule(app, encoding);
  AddFrequencies(app, encoding);
  AddChoice<Layout>(app, "--layout",
                    "Columns: sines and cosines by turns, all sines first, or all cosines first",
                    &encoding->spec.layout,
                    {{Name(Layout::kInterleaved), Layout::kInterleaved},
                     {Name(Layout::kSinCos), Layout::kSinCos},
                     {Name(Layout::kCosSin), Layout::kCosSin}});
  app.add_option("--target", encoding->target, "A name from 'posenc targets' [the best on this CPU]")
      ->type_name("NAME");
}

void RequireOption(const CLI::App& app, const std::string& name) {
  if (app.count(name) == 0) throw UsageError(name + " is required");
}

void FinishEncoding(const CLI::App& app, Encoding* encoding) {
  RequireOption(app, "--dim");
  if (encoding->phase_rounding == "f32_pow_div") {
    encoding->spec.phase_rounding = PhaseRounding::kF32PowDiv;
  } else if (encoding->phase_rounding != "none") {
    throw UsageError("--phase-rounding: " + encoding->phase_rounding + " is of --rotary");
  }
  if (!encoding->listed) {
    if (app.count("--unit") != 0) throw UsageError("--unit requires --frequencies");
    return;
  }
  for (const char* other : {"--base", "--exponent-dim", "--phase-rounding"}) {
    if (app.count(other) != 0) throw UsageError(std::string("--frequencies excludes ") + other);
  }
  encoding->frequencies = ParseList("--frequencies", *encoding->listed, "a finite number",
                                    [](double frequency) { return std::isfinite(frequency); });
}

Spec SpecOf(const Encoding& encoding) {
  Spec spec = encoding.spec;
  const std::vector<double>& list = encoding.frequencies;
  if (!list.empty()) spec.frequencies = {list.data(), nullptr, list.size(), spec.frequencies.unit};
  return spec;
}

Encoder CreateEncoder(const Encoding& encoding) {
  Spec spec = SpecOf(encoding);
  if (encoding.target) spec.target = FindTarget("--target", *encoding.target).name;
  Encoder encoder;
  const Status status = Encoder::Create(spec, &encoder);
  if (status == Status::kBadFrequencies) {  // its other causes cannot be asked for here
    throw UsageError("--frequencies: " + std::to_string(spec.frequencies.count) + " given, but --dim " +
                     std::to_string(spec.dim) + " needs " + std::to_string(spec.dim / 2 + spec.dim % 2));
  }
  Require(status);
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
  return layout == Layout::kInterleaved ? "interleaved" : layout == Layout::kSinCos ? "sin_cos" : "cos_sin";
}

std::string Describe(const Spec& spec) {
  const std::size_t listed = spec.frequencies.count;
  std::string text = "dim " + std::to_string(spec.dim) + ", ";
  text += listed == 0 ? "base " + Shortest(spec.base) : std::to_string(listed) + " frequencies";
  text.append(", ").append(Name(spec.layout));
  if (spec.exponent_dim != 0.0) text += ", exponent_dim " + Shortest(spec.exponent_dim);
  if (spec.position_scale != 1.0) text += ", position_scale " + Shortest(spec.position_scale);
  if (spec.phase_rounding == PhaseRounding::kF32PowDiv) text += ", f32_pow_div";
  return text;
}

std::string Shortest(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace tools
}  // namespace posenc
