// posenc table: prints an encoding as notebooks do, or saves it for NumPy.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "commands.h"
#include "encoding.h"
#include "npy.h"
#include "options.h"
#include "posenc/posenc.h"
#include "print.h"

namespace posenc {
namespace tools {
namespace {

constexpr std::size_t kBlockEntries = std::size_t{1} << 20;

struct Request {
  Encoding encoding;
  void (*show)(const Encoder&, const Request&) = nullptr;  // in the wanted type
  std::optional<std::string> out;
  std::vector<double> positions;  // if given, instead of first and rows
};

// Hands the table over in blocks of rows, so that its size does not matter: sink(first_row, values, rows).
template <class T, class Sink>
void ForEachBlock(const Encoder& encoder, const Request& request, const Sink& sink) {
  const std::size_t dim = encoder.dim(), all_rows = request.encoding.rows;
  const std::size_t block = std::min(all_rows, kBlockEntries / dim + 1);
  std::vector<T> values(block * dim);
  for (std::size_t r = 0; r < all_rows; r += block) {
    const std::size_t rows = std::min(block, all_rows - r);
    Require(
        request.positions.empty()
            ? encoder.Write(request.encoding.first + static_cast<std::int64_t>(r), rows, values.data(), dim)
            : encoder.WriteAt(request.positions.data() + r, rows, values.data(), dim));
    sink(r, values.data(), rows);
  }
}

template <class T>
void Print(const Encoder& encoder, const Request& request) {
  const std::size_t dim = encoder.dim();
  std::size_t width = 0;
  ForEachBlock<T>(encoder, request, [&](std::size_t, const T* values, std::size_t rows) {
    for (std::size_t i = 0; i < rows * dim; ++i) width = std::max(width, FormatEntry(values[i]).size());
  });
  std::string text;
  ForEachBlock<T>(encoder, request, [&](std::size_t first_row, const T* values, std::size_t rows) {
    text.clear();
    for (std::size_t r = 0; r < rows; ++r) {
      text += first_row + r == 0 ? "[" : "\n ";
      AppendRow(values + r * dim, dim, width, &text);
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      throw UsageError(std::string("cannot write the output: ") + std::strerror(errno));
    }
  });
  std::puts(request.encoding.rows == 0 ? "[]" : "]");
}

template <class T>
void Save(const Encoder& encoder, const Request& request) {
  NpyWriter file(*request.out, NpyType(T{}), sizeof(T), request.encoding.rows, encoder.dim());
  ForEachBlock<T>(encoder, request, [&](std::size_t, const T* values, std::size_t rows) {
    file.Append(values, rows * encoder.dim());
  });
  file.Finish();
  if (std::is_same_v<T, BFloat16>) {
    std::fputs("posenc: NumPy has no bfloat16: the file holds its bits, as <u2\n", stderr);
  }
}

template <class T>
void Show(const Encoder& encoder, const Request& request) {
  request.out ? Save<T>(encoder, request) : Print<T>(encoder, request);
}

ExitStatus MakeTable(const CLI::App& command, Request request) {
  if (command.count("--positions") != 0) {
    request.encoding.rows = request.positions.size();
  } else if (command.count("--rows") == 0) {
    throw UsageError("--rows is required unless --positions is given");
  }
  const Encoder encoder = CreateEncoder(request.encoding);
  if (request.positions.empty()) RequirePositions(request.encoding.first, request.encoding.rows);
  request.show(encoder, request);
  return kRight;
}

}  // namespace

void AddTableCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("table", "Print an encoding, or save it in NumPy format");
  command->footer(
      "A row per position; --rows or --positions is required. The entries are the sines and cosines of\n"
      "S * position * B^(-2i/X), in radians, or of S * position * frequency i in its unit, correctly\n"
      "rounded to their type (with --recipe f32_pow_div, those of phases that were rounded to float).\n"
      "They are printed with the fewest digits that name them in it.");
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
  request->show = Show<float>;
  AddChoice(*command, "--dtype", "Type of the entries: float32, bfloat16, float16 or double", &request->show,
            {{"f32", Show<float>}, {"bf16", Show<BFloat16>}, {"f16", Show<Float16>}, {"f64", Show<double>}});
  command
      ->add_option(
          "--out", request->out,
          "Save as .npy (C order, shape (rows, dim); <f4, <f2, <f8, or <u2 for bf16) instead of printing")
      ->type_name("FILE");
  command->callback([=] { *run = [=] { return MakeTable(*command, *request); }; });
}

}  // namespace tools
}  // namespace posenc
