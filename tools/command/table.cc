// posenc table: prints an encoding as notebooks do, or saves it for NumPy.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/encoding.h"
#include "command/entries.h"
#include "command/options.h"
#include "command/output_file.h"
#include "oracle/format.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {
namespace {

constexpr std::size_t kBlockEntries = std::size_t{1} << 20;

struct Request {
  Encoding encoding;
  posenc_type type = POSENC_F32;
  std::optional<std::string> out;
  std::vector<double> positions;  // if given, instead of first and rows
};

// Hands the table over in blocks of rows, so that its size does not matter: sink(first_row, entries, rows).
template <class Sink>
void ForEachBlock(const Encoder& encoder, const Request& request, const Sink& sink) {
  const posenc_encoder* c = encoder.c_encoder();
  const std::size_t dim = encoder.dim(), all_rows = request.encoding.rows;
  const std::size_t block = std::min(all_rows, kBlockEntries / dim + 1);
  Entries entries(request.type, block * dim);
  for (std::size_t r = 0; r < all_rows; r += block) {
    const std::size_t rows = std::min(block, all_rows - r);
    const std::int64_t first = request.encoding.first + static_cast<std::int64_t>(r);
    Require(request.positions.empty() ? posenc_write(c, first, rows, request.type, entries.data(), dim)
                                      : posenc_write_at(c, POSENC_F64, request.positions.data() + r, rows,
                                                        request.type, entries.data(), dim, nullptr));
    sink(r, entries, rows);
  }
}

// The shortest decimal that names the value among those of its C++ type.
template <class Real>
std::string FormatReal(Real value) {
  char shortest[32];
  std::string text(shortest, std::to_chars(shortest, shortest + sizeof(shortest), value).ptr);
  if (!std::signbit(value)) text.insert(0, " ");
  if (text.find_first_of(".e") == std::string::npos) text += '.';
  return text;
}

// A 16-bit value with as few decimal digits as name it.
double Abbreviate(posenc_type type, double value) {
  for (int digits = 1; digits <= 5; ++digits) {  // as many as float16 needs
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, digits - 1).ptr;
    double decimal = 0.0;
    std::from_chars(text, end, decimal);
    if (oracle::RoundTo(type, decimal) == value) return decimal;
  }
  return value;
}

// The shortest decimal that names the number among those of its type, with a point or an exponent ("0.",
// "0.5403023", "-1e-07"), as NumPy prints it; a space stands for the sign of numbers that have none.
std::string FormatEntry(posenc_type type, std::uint64_t bits) {
  const double value = oracle::Unpack(type, bits);
  if (type == POSENC_F64) return FormatReal(value);
  if (type == POSENC_F32) return FormatReal(static_cast<float>(value));
  return FormatReal(Abbreviate(type, value));
}

void Print(const Encoder& encoder, const Request& request) {
  const std::size_t dim = encoder.dim();
  std::size_t width = 0;
  ForEachBlock(encoder, request, [&](std::size_t, const Entries& entries, std::size_t rows) {
    for (std::size_t i = 0; i < rows * dim; ++i) {
      width = std::max(width, FormatEntry(request.type, entries[i]).size());
    }
  });
  std::string text;
  ForEachBlock(encoder, request, [&](std::size_t first_row, const Entries& entries, std::size_t rows) {
    text.clear();
    for (std::size_t i = 0; i < rows * dim; ++i) {
      text += i % dim != 0 ? " " : first_row + i == 0 ? "[[" : "\n [";
      const std::string entry = FormatEntry(request.type, entries[i]);
      text.append(entry).append(width - entry.size(), ' ');
      if (i % dim == dim - 1) text += ']';
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) FlushStdout();
  });
  std::puts(request.encoding.rows == 0 ? "[]" : "]");
}

// NumPy lacks bfloat16: its bits.
const char* NpyType(posenc_type type) {
  return type == POSENC_F32 ? "<f4" : type == POSENC_F16 ? "<f2" : type == POSENC_F64 ? "<f8" : "<u2";
}

// Format version 1.0, C order.
std::string NpyHeader(posenc_type type, std::size_t rows, std::size_t dim) {
  constexpr std::size_t kPreamble = 10;  // magic, version, length
  std::string dict = std::string("{'descr': '") + NpyType(type) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(dim) + "), }";
  dict.append(63 - (kPreamble + dict.size()) % 64, ' ');  // the data begins at a multiple of 64
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

void Save(const Encoder& encoder, const Request& request) {
  OutputFile file("--out", *request.out);
  file.Write(NpyHeader(request.type, request.encoding.rows, encoder.dim()));
  ForEachBlock(encoder, request, [&](std::size_t, const Entries& entries, std::size_t rows) {
    file.Write(entries.LittleEndian(rows * encoder.dim()));
  });
  file.Finish();
  if (request.type == POSENC_BF16) {
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
  request.out ? Save(encoder, request) : Print(encoder, request);
  return kRight;
}

}  // namespace

void AddTableCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("table", "Print an encoding, or save it in NumPy format");
  command->footer(
      "A row per position; --rows or --positions is required. The entries are the sines and cosines of\n"
      "S * position * B^(-2i/X), in radians, or of S * position * frequency i in its unit, correctly "
      "rounded\n"
      "to their type (with --phase-rounding f32_pow_div, those of phases that were rounded to float).\n"
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
  AddChoice<posenc_type>(
      *command, "--dtype", "Type of the entries: float32, bfloat16, float16 or double", &request->type,
      {{"f32", POSENC_F32}, {"bf16", POSENC_BF16}, {"f16", POSENC_F16}, {"f64", POSENC_F64}});
  command
      ->add_option(
          "--out", request->out,
          "Save as .npy (C order, shape (rows, dim); <f4, <f2, <f8, or <u2 for bf16) instead of printing")
      ->type_name("FILE");
  command->callback([=] { *run = [=] { return MakeTable(*command, *request); }; });
}

}  // namespace tools
}  // namespace posenc
