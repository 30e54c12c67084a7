// posenc table: prints an encoding, or a cache of rotary embeddings, as notebooks do, or saves it for NumPy.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command/commands.h"
#include "command/encoding.h"
#include "command/options.h"
#include "command/rotary_options.h"
#include "command/table_output.h"
#include "posenc/posenc.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace tools {
namespace {

struct Request {
  Encoding encoding;
  RotaryOptions rotary;
  posenc_cache_layout cache = POSENC_CACHE_HALVES;
  bool presets = false;
  posenc_type type = POSENC_F32;
  std::optional<std::string> out;
  std::vector<double> positions;  // if given, instead of first and rows: [axes, rows]
};

std::int64_t First(const Request& request, std::size_t row) {
  return request.encoding.first + static_cast<std::int64_t>(row);
}

TableSource EncodingTable(const Encoder& encoder, const Request& request) {
  const auto fill = [&](std::size_t, std::size_t row, std::size_t rows, Entries* out) {
    const posenc_encoder* c = encoder.c_encoder();
    Require(request.positions.empty()
                ? posenc_write(c, First(request, row), rows, request.type, out->data(), encoder.dim())
                : posenc_write_at(c, POSENC_F64, request.positions.data() + row, rows, request.type,
                                  out->data(), encoder.dim(), nullptr));
  };
  return {request.type, 1, request.encoding.rows, encoder.dim(), fill};
}

// Both tables of the cache are made, and one is kept.
TableSource CacheTables(const posenc_rotary* rotary, std::size_t axes, const Request& request) {
  const posenc_cache_layout layout = request.cache;
  const bool is_two = layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED;
  const std::size_t pairs = posenc_rotary_frequency_count(rotary);
  const std::size_t columns = layout == POSENC_CACHE_HALVES ? pairs : 2 * pairs;
  const auto fill = [=, &request](std::size_t table, std::size_t row, std::size_t rows, Entries* out) {
    Entries other(request.type, is_two ? rows * columns : 0);
    Entries& sines = table == 0 ? other : *out;
    Entries& cosines = table == 0 ? *out : other;
    const posenc_cache cache{layout, request.type, cosines.data(), is_two ? sines.data() : nullptr, columns};
    std::vector<double> positions;
    for (std::size_t k = 0; k < axes && !request.positions.empty(); ++k) {
      const double* of_axis = request.positions.data() + k * request.encoding.rows + row;
      positions.insert(positions.end(), of_axis, of_axis + rows);
    }
    Require(positions.empty()
                ? posenc_rotary_write(rotary, First(request, row), rows, &cache)
                : posenc_rotary_write_at(rotary, POSENC_F64, positions.data(), rows, &cache, nullptr));
  };
  return {request.type, is_two ? 2u : 1u, request.encoding.rows, columns, fill};
}

void SetRows(const CLI::App& command, std::size_t axes, std::int64_t offset, Request* request) {
  if (command.count("--positions") == 0) {
    if (command.count("--rows") == 0) throw UsageError("--rows is required unless --positions is given");
    return RequirePositions(request->encoding.first, request->encoding.rows, offset);
  }
  if (request->positions.size() % axes != 0) {
    throw UsageError("--positions: " + std::to_string(request->positions.size()) + " given, but a row has " +
                     std::to_string(axes));
  }
  request->encoding.rows = request->positions.size() / axes;
}

void PutOut(const TableSource& source, const Request& request) {
  request.out ? SaveTables(source, *request.out) : PrintTables(source);
}

ExitStatus MakeCache(const CLI::App& command, Request request) {
  RefuseWithRotary(command);
  const posenc_rotary_spec spec = RotarySpecOf(command, request.encoding, &request.rotary);
  const RotaryHandle rotary = CreateRotary(spec);
  const bool wants_frequencies = request.encoding.listed && request.encoding.listed->empty();
  const bool wants_amplitude = request.rotary.amplitude && request.rotary.amplitude->empty();
  if (!wants_frequencies && !wants_amplitude) {
    SetRows(command, spec.axes, 0, &request);
    PutOut(CacheTables(rotary.get(), spec.axes, request), request);
    return kRight;
  }
  for (const char* other : {"--rows", "--first", "--positions", "--dtype", "--cache", "--out"}) {
    if (command.count(other) != 0) {
      throw UsageError(std::string(other) + " excludes --frequencies and --amplitude without values");
    }
  }
  if (wants_frequencies) {
    for (const double w : FrequenciesOf(rotary.get())) std::printf("%.17g\n", w);
  }
  if (wants_amplitude) std::printf("%.17g\n", posenc_rotary_amplitude(rotary.get()));
  return kRight;
}

ExitStatus MakeTable(const CLI::App& command, Request request) {
  if (request.presets) {
    PrintRotaryPresets();
    return kRight;
  }
  if (request.rotary.preset) return MakeCache(command, std::move(request));
  if (command.count("--cache") != 0) throw UsageError("--cache requires --rotary");
  FinishEncoding(command, &request.encoding);
  const Encoder encoder = CreateEncoder(request.encoding);
  SetRows(command, 1, request.encoding.spec.position_offset, &request);
  PutOut(EncodingTable(encoder, request), request);
  return kRight;
}

void AddCacheOptions(CLI::App& command, Request* request) {
  AddRotaryOptions(command, &request->rotary);
  command.option_defaults()->group("Rotary embeddings");
  AddChoice<posenc_cache_layout>(command, "--cache",
                                 "Two tables, cosines and sines, of a column per pair or of one per element; "
                                 "or one, [cos | sin] or [cos sin cos sin ...]",
                                 &request->cache,
                                 {{"halves", POSENC_CACHE_HALVES},
                                  {"duplicated", POSENC_CACHE_DUPLICATED},
                                  {"cos_sin", POSENC_CACHE_COS_SIN},
                                  {"pairs", POSENC_CACHE_PAIRS}});
  command.add_flag("--presets", request->presets, "List the presets: name, formula, source");
  command.option_defaults()->group("Options");
}

}  // namespace

void AddTableCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("table", "Print an encoding, or save it in NumPy format");
  command->footer(
      "A row per position; --rows or --positions is required. The entries are the sines and cosines of\n"
      "S * position * B^(-2i/X), in its unit, or of S * position * frequency i, correctly rounded to their\n"
      "type (with --phase-rounding, those of phases that were rounded step by step, as frameworks do).\n"
      "They are printed with the fewest digits that name them in it.\n"
      "With --rotary they are those of a cache, times the amplitude; of two tables the cosines come first,\n"
      "and a file has the shape (2, rows, columns). Options of Rotary embeddings, and --base, --frequencies\n"
      "and the like, are put over the preset's. --frequencies and --amplitude without values print what\n"
      "they are, scaled, in radians per step; --positions are those of axis 0, then those of axis 1 ...");
  const auto request = std::make_shared<Request>();
  AddEncodingOptions(*command, &request->encoding);
  AddOption(*command, "--positions", "LIST",
            "Any positions instead, in steps: 0,0.5,9 or @FILE, numbers separated by commas or white space",
            [=](const std::string& text) {
              request->positions = ParseList(
                  "--positions", text, "a number from -2^31 to 2^31",
                  [](double position) { return std::fabs(position) <= static_cast<double>(kMaxPosition); });
            })
      ->excludes(command->get_option("--rows"))
      ->excludes(command->get_option("--first"));
  AddChoice<posenc_type>(
      *command, "--dtype", "Type of the entries: float32, bfloat16, float16 or double", &request->type,
      {{"f32", POSENC_F32}, {"bf16", POSENC_BF16}, {"f16", POSENC_F16}, {"f64", POSENC_F64}});
  command
      ->add_option(
          "--out", request->out,
          "Save as .npy (C order, shape (rows, dim); <f4, <f2, <f8, or <u2 for bf16) instead of printing; to "
          "standard output if it is -")
      ->type_name("FILE");
  AddCacheOptions(*command, request.get());
  command->callback([=] { *run = [=] { return MakeTable(*command, *request); }; });
}

}  // namespace tools
}  // namespace posenc
