// posenc table: prints an encoding or a cache of a rotary embedding, or saves it as a NumPy file.
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
#include "command/models.h"
#include "command/options.h"
#include "command/output_file.h"
#include "command/specs.h"
#include "command/table_output.h"
#include "number/elements.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"
#include "spec/tables.h"

namespace posenc {
namespace tools {
namespace {

struct Request {
  SpecOptions options;
  posenc_cache_layout cache = POSENC_CACHE_HALVES;
  bool presets = false;
  posenc_type type = POSENC_F32;
  std::optional<std::string> out;
  std::optional<std::string> listed;  // the value of --positions
  std::vector<double> positions;      // [axes, rows], from `listed`; replaces --first and --rows
};

std::int64_t First(const Request& request, std::size_t row) {
  return request.options.first + static_cast<std::int64_t>(row);
}

TableSource EncodingTable(const posenc_encoder* encoder, const Request& request) {
  const std::size_t dim = posenc_encoder_dim(encoder);
  const auto fill = [=, &request](std::size_t, std::size_t row, std::size_t rows, Entries* out) {
    const Rows written(request.type, out->data(), dim);
    const List positions(request.positions.data() + row);
    Require(request.positions.empty() ? posenc_write(encoder, First(request, row), rows, &written)
                                      : posenc_write_at(encoder, &positions, rows, &written, nullptr));
  };
  return {request.type, 1, request.options.rows, dim, fill};
}

// The table or tables of a cache. The library writes cosines and sines at once, so if they are two tables,
// each block is computed twice, and the table that was not asked for is discarded.
TableSource CacheTables(const posenc_rotary* rotary, std::size_t axes, const Request& request) {
  const posenc_cache_layout layout = request.cache;
  const bool is_two = layout != POSENC_CACHE_COS_SIN && layout != POSENC_CACHE_PAIRS;
  const std::size_t pairs = posenc_rotary_frequency_count(rotary);
  const std::size_t columns = layout == POSENC_CACHE_HALVES ? pairs : 2 * pairs;
  const auto fill = [=, &request](std::size_t table, std::size_t row, std::size_t rows, Entries* out) {
    Entries other(request.type, is_two ? rows * columns : 0);
    Entries& sines = table == 0 ? other : *out;
    Entries& cosines = table == 0 ? *out : other;
    const posenc_cache cache{layout, request.type, cosines.data(), is_two ? sines.data() : nullptr, columns};
    std::vector<double> positions;
    for (std::size_t k = 0; k < axes && !request.positions.empty(); ++k) {
      const double* of_axis = request.positions.data() + k * request.options.rows + row;
      positions.insert(positions.end(), of_axis, of_axis + rows);
    }
    const List list(positions.data());
    Require(positions.empty() ? posenc_write_cache(rotary, First(request, row), rows, &cache)
                              : posenc_write_cache_at(rotary, &list, rows, &cache, nullptr));
  };
  return {request.type, is_two ? 2u : 1u, request.options.rows, columns, fill};
}

// Reads the positions of the rows. `spec` is the encoder's, or null for a rotary.
void SetRows(const CLI::App& command, std::size_t axes, const posenc_spec* spec, Request* request) {
  if (!request->listed) {
    if (command.count("--rows") == 0) throw UsageError("--rows is required unless --positions is given");
    return RequirePositions(request->options.first, request->options.rows,
                            spec == nullptr ? 0 : spec->position_offset,
                            spec == nullptr ? internal::rule::token_run_range : internal::rule::run_range);
  }
  const bool nan_rows = spec != nullptr && spec->nan_rows != 0;
  request->positions =
      ParseList("--positions", *request->listed, "a number from -2^31 to 2^31", [=](double position) {
        return nan_rows || std::fabs(position) <= static_cast<double>(POSENC_MAX_POSITION);
      });
  if (request->positions.size() % axes != 0) {
    throw UsageError("--positions: " + std::to_string(request->positions.size()) + " given, but a row has " +
                     std::to_string(axes));
  }
  request->options.rows = request->positions.size() / axes;
}

void PutOut(const TableSource& source, const Request& request) {
  request.out ? SaveTables(source, *request.out) : PrintTables(source);
}

ExitStatus MakeCache(const CLI::App& command, Request* request) {
  const posenc_rotary_spec spec = RotarySpec(&request->options);
  const RotaryHandle rotary = Create(spec);
  const bool wants_frequencies = request->options.AsksFor("--frequencies");
  const bool wants_amplitude = request->options.AsksFor("--amplitude");
  if (!wants_frequencies && !wants_amplitude) {
    SetRows(command, spec.axes, nullptr, request);
    PutOut(CacheTables(rotary.get(), spec.axes, *request), *request);
    return kRight;
  }
  for (const char* other : {"--rows", "--first", "--positions", "--dtype", "--cache", "--out"}) {
    if (command.count(other) != 0) {
      throw UsageError(std::string(other) + " excludes --frequencies and --amplitude without values");
    }
  }
  if (wants_frequencies) {
    for (const double frequency : FrequenciesOf(rotary.get())) std::printf("%.17g\n", frequency);
  }
  if (wants_amplitude) std::printf("%.17g\n", posenc_rotary_amplitude(rotary.get()));
  return kRight;
}

ExitStatus MakeTable(const CLI::App& command, Request request) {
  if (request.presets) {
    PrintRotaryPresets();
    return kRight;
  }
  if (request.out) {
    RequireExtension("--out", *request.out, ".npy",
                     "a name of a NumPy file, such as table.npy; table writes no other format");
  }
  if (IsRotary(&request.options)) return MakeCache(command, &request);
  if (command.count("--cache") != 0) RefuseForEncodings("--cache", request.options);
  const posenc_spec spec = EncoderSpec(&request.options);
  const EncoderHandle encoder = Create(spec);
  SetRows(command, 1, &spec, &request);
  PutOut(EncodingTable(encoder.get(), request), request);
  return kRight;
}

}  // namespace

void AddTableCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("table", "Print an encoding, or save it in NumPy format");
  command->footer(
      "Prints one row for each position; --rows or --positions is required. The entries are sines and\n"
      "cosines of S * position * B^(-2i/X), or of S * position * frequency i. They are correctly rounded to\n"
      "their type. With --phase-rounding the phases are rounded first, step by step, as a framework rounds\n"
      "them. Each entry is printed with as few digits as its type allows.\n"
      "With --rotary" +
      std::string(kHasModels ? " or --config" : "") +
      ", table prints the cache of a rotary embedding: cosines and sines times the amplitude.\n"
      "If the cache is two tables, the cosines come first, and a file has the shape (2, rows, columns).\n" +
      (kHasModels
           ? "Other options (--base, --factor ...) replace what the preset or the configuration says.\n"
           : "") +
      "--frequencies and --amplitude without values print the scaled frequencies, in radians per step, and\n"
      "the amplitude. With several axes, --positions lists all positions on axis 0, then all on axis 1 ...\n"
      "Example: posenc table " +
      std::string(kHasModels ? "--preset llama3" : "--rotary --base 500000") +
      " --dim 128 --rows 8192 --out cache.npy");
  const auto request = std::make_shared<Request>();
  AddSpecOptions(*command, &request->options);
  command
      ->add_option(
          "--positions", request->listed,
          "Any positions, instead of --rows: 0:0.5:9 or @FILE, numbers separated by commas or white space")
      ->type_name("LIST")
      ->excludes(command->get_option("--rows"))
      ->excludes(command->get_option("--first"));
  std::vector<std::string> types = internal::WordsOf("type");
  static_assert(internal::kAreAllEntries<POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64>);
  types.resize(POSENC_F64);  // leaves out the integer types, which come last
  AddChoice(*command, "--dtype", "Type of the entries", types,
            [=](std::int32_t number) { request->type = static_cast<posenc_type>(POSENC_F32 + number); });
  command
      ->add_option(
          "--out", request->out,
          "Save the table as .npy instead of printing it, in C order, with the shape (rows, dim), as "
          "<f4, <f2, <f8, or <u2 for bfloat16; - is standard output")
      ->type_name("FILE");
  command->option_defaults()->group("Rotary embeddings");
  AddChoice(*command, "--cache",
            "Two tables, cosines and sines, with a column per pair (halves) or per element (duplicated, "
            "halves_twice); or one table, [cos | sin] (cos_sin) or [cos sin cos sin ...] (pairs)",
            internal::WordsOf("cache_layout"),
            [=](std::int32_t number) { request->cache = static_cast<posenc_cache_layout>(number); });
  OfModels(command->add_flag("--presets", request->presets, "List the presets: name, formula, source"));
  command->option_defaults()->group("Options");
  command->callback([=] { *run = [=] { return MakeTable(*command, std::move(*request)); }; });
}

}  // namespace tools
}  // namespace posenc
