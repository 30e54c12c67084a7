#include "command/table_output.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "command/output_file.h"
#include "number/elements.h"
#include "oracle/format.h"

namespace posenc {
namespace tools {
namespace {

constexpr std::size_t kBlockEntries = std::size_t{1} << 20;

// Makes a table in blocks of rows, and calls sink(first_row, entries, rows) for each block.
template <class Sink>
void ForEachBlock(const TableSource& source, std::size_t table, const Sink& sink) {
  const std::size_t block = std::min(source.rows, kBlockEntries / source.columns + 1);
  Entries entries(source.type, block * source.columns);
  for (std::size_t r = 0; r < source.rows; r += block) {
    const std::size_t rows = std::min(block, source.rows - r);
    source.fill(table, r, rows, &entries);
    sink(r, entries, rows);
  }
}

// The shortest decimal number that reads back as `value`.
template <class Real>
std::string FormatReal(Real value) {
  char shortest[32];
  std::string text(shortest, std::to_chars(shortest, shortest + sizeof(shortest), value).ptr);
  if (!std::signbit(value)) text.insert(0, " ");
  if (text.find_first_of(".e") == std::string::npos) text += '.';
  return text;
}

// The decimal number with the fewest digits that rounds to a 16-bit `value`, as a double.
double Abbreviate(posenc_type type, double value) {
  for (int digits = 1; digits <= 5; ++digits) {  // 5 digits are enough for float16
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, digits - 1).ptr;
    double decimal = 0.0;
    std::from_chars(text, end, decimal);
    if (oracle::RoundTo(type, decimal) == value) return decimal;
  }
  return value;
}

// The shortest decimal number that rounds to the entry, as NumPy prints it: with a point or an exponent
// ("0.", "0.5403023", "-1e-07"). A number without a minus sign begins with a space.
std::string FormatEntry(posenc_type type, std::uint64_t bits) {
  const double value = oracle::Unpack(type, bits);
  if (type == POSENC_F64) return FormatReal(value);
  if (type == POSENC_F32) return FormatReal(static_cast<float>(value));
  return FormatReal(Abbreviate(type, value));
}

// NumPy's name for the type. NumPy has no bfloat16, so the bits are saved as <u2.
const char* NpyType(posenc_type type) {
  static_assert(internal::kAreAllEntries<POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64>);
  return type == POSENC_F32 ? "<f4" : type == POSENC_F16 ? "<f2" : type == POSENC_F64 ? "<f8" : "<u2";
}

// The header of a NumPy file: format version 1.0, C order.
std::string NpyHeader(const TableSource& source) {
  constexpr std::size_t kPreamble = 10;  // magic, version, length
  std::string dict = std::string("{'descr': '") + NpyType(source.type) +
                     "', 'fortran_order': False, 'shape': (" + (source.tables == 2 ? "2, " : "") +
                     std::to_string(source.rows) + ", " + std::to_string(source.columns) + "), }";
  dict.append(63 - (kPreamble + dict.size()) % 64,
              ' ');  // NumPy wants the data to begin at a multiple of 64 bytes
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

void PrintTable(const TableSource& source, std::size_t table) {
  const std::size_t columns = source.columns;
  std::size_t width = 0;
  ForEachBlock(source, table, [&](std::size_t, const Entries& entries, std::size_t rows) {
    for (std::size_t i = 0; i < rows * columns; ++i) {
      width = std::max(width, FormatEntry(source.type, entries[i]).size());
    }
  });
  std::string text;
  ForEachBlock(source, table, [&](std::size_t first_row, const Entries& entries, std::size_t rows) {
    text.clear();
    for (std::size_t i = 0; i < rows * columns; ++i) {
      text += i % columns != 0 ? " " : first_row + i == 0 ? "[[" : "\n [";
      const std::string entry = FormatEntry(source.type, entries[i]);
      text.append(entry).append(width - entry.size(), ' ');
      if (i % columns == columns - 1) text += ']';
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) FlushStdout();
  });
  std::puts(source.rows == 0 ? "[]" : "]");
}

}  // namespace

void PrintTables(const TableSource& source) {
  for (std::size_t table = 0; table < source.tables; ++table) {
    if (table != 0) std::puts("");
    PrintTable(source, table);
  }
}

void SaveTables(const TableSource& source, const std::string& path) {
  OutputFile file("--out", path);
  file.Write(NpyHeader(source));
  for (std::size_t table = 0; table < source.tables; ++table) {
    ForEachBlock(source, table, [&](std::size_t, const Entries& entries, std::size_t rows) {
      file.Write(entries.LittleEndian(rows * source.columns));
    });
  }
  file.Finish();
  if (source.type == POSENC_BF16) {
    std::fputs("posenc: NumPy has no bfloat16, so the file has the bits as <u2\n", stderr);
  }
}

}  // namespace tools
}  // namespace posenc
