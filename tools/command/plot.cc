// posenc plot: draws an encoding as a heat map, or the wavelengths of a rotary embedding.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command/commands.h"
#include "command/models.h"
#include "command/options.h"
#include "command/output_file.h"
#include "command/specs.h"
#ifdef POSENC_HAVE_GD
#include "command/pictures.h"
#include "spec/tables.h"
#endif

namespace posenc {
namespace tools {
namespace {

struct Request {
  SpecOptions options;
  std::string out;
};

#ifdef POSENC_HAVE_GD

// The smallest n for which every n-th of `count` cells makes at most kMaxCells.
std::size_t SamplingStep(std::size_t count) { return (count - 1) / kMaxCells + 1; }

// The numbers from `first` to first + count - 1 in groups of `group` neighbours, of which every step-th group
// is kept.
std::vector<std::int64_t> Sample(std::int64_t first, std::size_t count, std::size_t group, std::size_t step) {
  std::vector<std::int64_t> sample;
  for (std::size_t i = 0; i < count; i += group * step) {
    for (std::size_t j = i; j < std::min(i + group, count); ++j) {
      sample.push_back(first + static_cast<std::int64_t>(j));
    }
  }
  return sample;
}

std::string SamplingNote(std::size_t row_step, std::size_t column_step, bool in_pairs) {
  std::string note;
  if (row_step > 1) note += "one position in " + std::to_string(row_step);
  if (column_step > 1) {
    note += note.empty() ? "one " : ", one ";
    note += (in_pairs ? "pair of dimensions in " : "dimension in ") + std::to_string(column_step);
  }
  return note.empty() ? note : "Drawn: " + note + ".";
}

HeatMap MakeMap(const posenc_encoder* encoder, const posenc_spec& spec, const SpecOptions& options) {
  // If columns are interleaved, a sine and its cosine are kept or left out together. So the picture looks the
  // same as without sampling.
  const bool in_pairs = internal::IsInterleaved(spec.layout);
  const std::size_t row_step = SamplingStep(options.rows), column_step = SamplingStep(spec.dim);
  HeatMap map;
  map.title = (options.preset ? *options.preset : "Position encoding") + ": " + Abbreviated(PrintSpec(spec));
  map.note = SamplingNote(row_step, column_step, in_pairs);
  map.rows = {"position", Sample(options.first, options.rows, 1, row_step)};
  map.columns = {"dimension", Sample(0, spec.dim, in_pairs ? 2 : 1, column_step)};
  std::vector<float> row(spec.dim);
  const Rows out(row.data(), row.size());
  for (const std::int64_t position : map.rows.coordinates) {
    Require(posenc_write(encoder, position, 1, &out));
    for (const std::int64_t column : map.columns.coordinates) {
      // With --input-first a column is the position itself, which may be out of [-1, 1].
      map.values.push_back(std::clamp(row[static_cast<std::size_t>(column)], -1.0f, 1.0f));
    }
  }
  return map;
}

SchedulePlot MakeSchedulePlot(const CLI::App& command, SpecOptions* options) {
  posenc_rotary_spec spec = RotarySpec(options);
  for (const char* other : {"--rows", "--first"}) {
    if (command.count(other) == 0) continue;
    throw UsageError(std::string(other) + " excludes " + RotaryOption(*options));
  }
  const bool asks = options->AsksFor("--frequencies") || options->AsksFor("--amplitude");
  if (asks) throw UsageError("plot: --frequencies and --amplitude need values");
  SchedulePlot plot;
  const RotaryHandle rotary = Create(spec);
  plot.title = options->config.value_or(options->rotary.value_or("")) + ": " + Abbreviated(PrintSpec(spec));
  plot.scaled = FrequenciesOf(rotary.get());
  if (std::count(plot.scaled.begin(), plot.scaled.end(), 0.0) != 0) plot.note = "Other pairs do not rotate.";
  spec.scaling = POSENC_NO_SCALING;
  plot.unscaled = FrequenciesOf(Create(spec).get());
  return plot;
}

ExitStatus Write(const Request& request, const std::string& png) {
  OutputFile file("--out", request.out);
  file.Write(png);
  file.Finish();
  return kRight;
}

ExitStatus Plot(const CLI::App& command, Request request) {
  RequireOption(command, "--out");
  RequireExtension("--out", request.out, ".png",
                   "a name of a PNG file, such as plot.png; plot writes no other format");
  SpecOptions& options = request.options;
  if (IsRotary(&options)) return Write(request, DrawPng(MakeSchedulePlot(command, &options)));
  const posenc_spec spec = EncoderSpec(&options);
  RequireOption(command, "--rows");
  if (options.rows == 0) throw UsageError("--rows: there is nothing to draw in 0 rows");
  const EncoderHandle encoder = Create(spec);
  RequirePositions(options.first, options.rows, spec.position_offset, internal::rule::run_range);
  const HeatMap map = MakeMap(encoder.get(), spec, options);
  Write(request, DrawPng(map));
  if (!map.note.empty()) std::fprintf(stderr, "posenc: %s\n", map.note.c_str());
  return kRight;
}

#else

ExitStatus Plot(const CLI::App&, const Request&) {
  throw UsageError("plot: this posenc was built without libgd");
}

#endif

}  // namespace

void AddPlotCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("plot", "Draw an encoding as a heat map, or wavelengths");
  command->footer(
      "Positions go down, and dimensions to the right. With more than 1024 rows or columns, plot draws only\n"
      "every second, every third ... of them, and the picture says so. A sine and a cosine that are\n"
      "interleaved stay together.\n"
      "With --rotary, plot draws the wavelength of each pair, 2 pi / frequency, with and without scaling.\n"
      "Example: posenc plot --dim 128 --rows 256 --out pe.png");
  const auto request = std::make_shared<Request>();
  AddSpecOptions(*command, &request->options);
  command->add_option("--out", request->out, "The PNG file; - is standard output")->type_name("FILE");
  command->callback([=] { *run = [=] { return Plot(*command, std::move(*request)); }; });
}

}  // namespace tools
}  // namespace posenc
