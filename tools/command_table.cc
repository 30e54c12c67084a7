// posenc table: prints an encoding as notebooks do, or saves it for NumPy.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "npy.h"
#include "options.h"
#include "posenc/posenc.h"
#include "print.h"

namespace posenc {
namespace tools {
namespace {

constexpr std::size_t kBlockFloats = std::size_t{1} << 20;

enum class Dtype { kF32 };

struct Request {
  Spec spec;
  Dtype dtype = Dtype::kF32;
  std::string target, out;
  std::int64_t first = 0;
  std::size_t rows = 0;
  std::vector<std::int64_t> positions;  // if given, instead of first and rows
};

using Sink = std::function<void(std::size_t first_row, const float* values, std::size_t rows)>;

// Hands the table over in blocks of rows, so that its size does not matter.
void ForEachBlock(const Encoder& encoder, const Request& request, const Sink& sink) {
  const std::size_t dim = encoder.dim();
  const std::size_t block = std::min(request.rows, kBlockFloats / dim + 1);
  std::vector<float> values(block * dim);
  for (std::size_t r = 0; r < request.rows; r += block) {
    const std::size_t rows = std::min(block, request.rows - r);
    const Status status =
        request.positions.empty()
            ? encoder.Write(request.first + static_cast<std::int64_t>(r), rows, values.data(), dim)
            : encoder.WriteAt(request.positions.data() + r, rows, values.data(), dim);
    Require(status);
    sink(r, values.data(), rows);
  }
}

// Before anything is printed: the blocks would find out only later.
void RequirePositions(const Request& request) {
  const auto in_range = [](std::int64_t p) { return -kMaxPosition <= p && p <= kMaxPosition; };
  const bool ok = request.positions.empty()
                      ? request.rows == 0 ||
                            (in_range(request.first) &&
                             request.rows - 1 <= static_cast<std::uint64_t>(kMaxPosition - request.first))
                      : std::all_of(request.positions.begin(), request.positions.end(), in_range);
  if (!ok) throw UsageError(StatusMessage(Status::kPositionOutOfRange));
}

void Print(const Encoder& encoder, const Request& request) {
  const std::size_t dim = encoder.dim();
  std::size_t width = 0;
  ForEachBlock(encoder, request, [&](std::size_t, const float* values, std::size_t rows) {
    for (std::size_t i = 0; i < rows * dim; ++i) width = std::max(width, FormatEntry(values[i]).size());
  });
  std::string text;
  ForEachBlock(encoder, request, [&](std::size_t first_row, const float* values, std::size_t rows) {
    text.clear();
    for (std::size_t r = 0; r < rows; ++r) {
      text += first_row + r == 0 ? "[" : "\n ";
      AppendRow(values + r * dim, dim, width, &text);
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      throw UsageError(std::string("cannot write the output: ") + std::strerror(errno));
    }
  });
  std::puts(request.rows == 0 ? "[]" : "]");
}

void Save(const Encoder& encoder, const Request& request) {
  NpyWriter file(request.out, request.rows, encoder.dim());
  ForEachBlock(encoder, request, [&](std::size_t, const float* values, std::size_t rows) {
    file.Append(values, rows * encoder.dim());
  });
  file.Finish();
}

ExitStatus MakeTable(const CLI::App& command, Request request) {
  if (command.count("--positions") != 0) {
    request.rows = request.positions.size();
  } else if (command.count("--rows") == 0) {
    throw UsageError("--rows is required unless --positions is given");
  }
  if (command.count("--target") != 0) request.spec.target = FindTarget("--target", request.target).name;
  Encoder encoder;
  Require(Encoder::Create(request.spec, &encoder));
  RequirePositions(request);
  if (command.count("--out") != 0) {
    Save(encoder, request);
  } else {
    Print(encoder, request);
  }
  return kRight;
}

void AddPositionOptions(CLI::App& app, Request* request) {
  AddOption(app, "--rows", "N", "Rows, for consecutive positions",
            [=](const std::string& text) { request->rows = ParseCount("--rows", text); });
  AddOption(app, "--first", "P", "Position of the first row, in steps, |P| <= 2^31",
            [=](const std::string& text) { request->first = ParseInteger("--first", text); })
      ->default_str("0");
  AddOption(app, "--positions", "LIST",
            "Any positions instead: 0,5,9 or @FILE, integers separated by commas or white space",
            [=](const std::string& text) { request->positions = ParsePositions("--positions", text); })
      ->excludes(app.get_option("--rows"))
      ->excludes(app.get_option("--first"));
}

void AddFormulaOptions(CLI::App& app, Request* request) {
  Spec* spec = &request->spec;
  AddOption(app, "--base", "B", "Base of the frequencies", [=](const std::string& text) {
    spec->base = ParseReal("--base", text);
  })->default_str("10000");
  AddOption(app, "--exponent-dim", "X", "Divisor in the exponent [D]",
            [=](const std::string& text) { spec->exponent_dim = ParseReal("--exponent-dim", text); });
  AddOption(app, "--position-scale", "S", "Factor of every position", [=](const std::string& text) {
    spec->position_scale = ParseReal("--position-scale", text);
  })->default_str("1");
}

// An option that takes one of the names of an enumeration.
template <class Enum>
void AddChoice(CLI::App& app, const std::string& name, const std::string& help, Enum* value,
               const std::vector<std::pair<std::string, Enum>>& choices) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : "|") + choice.first;
  AddOption(app, name, names, help, [=](const std::string& text) {
    for (const auto& choice : choices) {
      if (choice.first == text) {
        *value = choice.second;
        return;
      }
    }
    throw UsageError(name + ": '" + text + "' is not one of " + names);
  })->default_str(choices.front().first);
}

}  // namespace

void AddTableCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("table", "Print an encoding, or save it in NumPy format");
  command->footer(
      "A row per position. The entries are the sines and cosines of S * position * B^(-2i/X), in radians,\n"
      "correctly rounded to float32. They are printed with the fewest digits that name the float.");
  const auto request = std::make_shared<Request>();
  AddOption(*command, "--dim", "D", "Columns of a row (d_model), 1 .. 2^24", [=](const std::string& text) {
    request->spec.dim = ParseCount("--dim", text);
  })->required();
  AddPositionOptions(*command, request.get());
  AddFormulaOptions(*command, request.get());
  AddChoice<Layout>(
      *command, "--layout", "Order of the columns", &request->spec.layout,
      {{"interleaved", Layout::kInterleaved}, {"sin_cos", Layout::kSinCos}, {"cos_sin", Layout::kCosSin}});
  AddChoice<Recipe>(*command, "--recipe", "Rounding of the phase: none, or as float32 NumPy notebooks do",
                    &request->spec.recipe, {{"exact", Recipe::kExact}, {"f32_pow_div", Recipe::kF32PowDiv}});
  AddChoice<Dtype>(*command, "--dtype", "Type of the entries", &request->dtype, {{"f32", Dtype::kF32}});
  command->add_option("--target", request->target, "A name from 'posenc targets' [the best on this CPU]")
      ->type_name("NAME");
  command
      ->add_option("--out", request->out,
                   "Save as .npy (C order, shape (rows, dim), <f4) instead of printing")
      ->type_name("FILE");
  command->callback([=] { *run = [=] { return MakeTable(*command, *request); }; });
}

}  // namespace tools
}  // namespace posenc
