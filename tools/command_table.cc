// posenc table: prints an encoding as notebooks do, or saves it for NumPy.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "call_on_elements.h"
#include "encoding.h"
#include "npy.h"
#include "options.h"
#include "posenc/posenc.h"
#include "print.h"

namespace posenc {
namespace tools {
namespace {

using oracle::Format;

constexpr std::size_t kBlockEntries = std::size_t{1} << 20;

struct Request {
  Encoding encoding;
  Format format = Format::kFloat32;
  std::string out;
  std::vector<std::int64_t> positions;  // if given, instead of first and rows
};

using Sink = std::function<void(std::size_t first_row, const float* values, std::size_t rows)>;

// Hands the table over in blocks of rows, so that its size does not matter.
void ForEachBlock(const Encoder& encoder, const Request& request, const Sink& sink) {
  const std::size_t dim = encoder.dim(), all_rows = request.encoding.rows;
  const std::size_t block = std::min(all_rows, kBlockEntries / dim + 1);
  std::vector<float> values(block * dim);
  for (std::size_t r = 0; r < all_rows; r += block) {
    const std::size_t rows = std::min(block, all_rows - r);
    Require(CallOnElements(request.format, values.data(), rows * dim, [&](auto* out) {
      return request.positions.empty()
                 ? encoder.Write(request.encoding.first + static_cast<std::int64_t>(r), rows, out, dim)
                 : encoder.WriteAt(request.positions.data() + r, rows, out, dim);
    }));
    sink(r, values.data(), rows);
  }
}

void Print(const Encoder& encoder, const Request& request) {
  const std::size_t dim = encoder.dim();
  std::size_t width = 0;
  ForEachBlock(encoder, request, [&](std::size_t, const float* values, std::size_t rows) {
    for (std::size_t i = 0; i < rows * dim; ++i) {
      width = std::max(width, FormatEntry(request.format, values[i]).size());
    }
  });
  std::string text;
  ForEachBlock(encoder, request, [&](std::size_t first_row, const float* values, std::size_t rows) {
    text.clear();
    for (std::size_t r = 0; r < rows; ++r) {
      text += first_row + r == 0 ? "[" : "\n ";
      AppendRow(request.format, values + r * dim, dim, width, &text);
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      throw UsageError(std::string("cannot write the output: ") + std::strerror(errno));
    }
  });
  std::puts(request.encoding.rows == 0 ? "[]" : "]");
}

void Save(const Encoder& encoder, const Request& request) {
  NpyWriter file(request.out, request.format, request.encoding.rows, encoder.dim());
  ForEachBlock(encoder, request, [&](std::size_t, const float* values, std::size_t rows) {
    file.Append(values, rows * encoder.dim());
  });
  file.Finish();
  if (request.format == Format::kBFloat16) {
    std::fputs("posenc: NumPy has no bfloat16: the file holds its bits, as <u2\n", stderr);
  }
}

ExitStatus MakeTable(const CLI::App& command, Request request) {
  if (command.count("--positions") != 0) {
    request.encoding.rows = request.positions.size();
  } else if (command.count("--rows") == 0) {
    throw UsageError("--rows is required unless --positions is given");
  }
  const Encoder encoder = CreateEncoder(request.encoding);
  if (request.positions.empty()) RequirePositions(request.encoding.first, request.encoding.rows);
  for (const std::int64_t position : request.positions) RequirePositions(position, 1);
  if (command.count("--out") != 0) {
    Save(encoder, request);
  } else {
    Print(encoder, request);
  }
  return kRight;
}

}  // namespace

void AddTableCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("table", "Print an encoding, or save it in NumPy format");
  command->footer(
      "A row per position; --rows or --positions is required. The entries are the sines and cosines of\n"
      "S * position * B^(-2i/X), in radians, correctly rounded to their type. They are printed with the\n"
      "fewest digits that name them in it.");
  const auto request = std::make_shared<Request>();
  AddEncodingOptions(*command, &request->encoding);
  AddOption(*command, "--positions", "LIST",
            "Any positions instead, in steps: 0,5,9 or @FILE, integers separated by commas or white space",
            [=](const std::string& text) { request->positions = ParsePositions("--positions", text); })
      ->excludes(command->get_option("--rows"))
      ->excludes(command->get_option("--first"));
  AddChoice<Format>(*command, "--dtype", "Type of the entries: float32, bfloat16 or float16",
                    &request->format,
                    {{"f32", Format::kFloat32}, {"bf16", Format::kBFloat16}, {"f16", Format::kFloat16}});
  command
      ->add_option("--out", request->out,
                   "Save as .npy (C order, shape (rows, dim); <f4, <f2, or <u2 for bf16) instead of printing")
      ->type_name("FILE");
  command->callback([=] { *run = [=] { return MakeTable(*command, *request); }; });
}

}  // namespace tools
}  // namespace posenc
