#include "command/npy.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <regex>
#include <system_error>
#include <vector>

#include "command/options.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace tools {
namespace {

constexpr std::size_t kMaxColumns = std::size_t{1} << 17;

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

// Reads the numbers of a shape: "3,4,".
bool ReadShape(const std::string& text, std::vector<std::size_t>* shape) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const auto [rest, error] = std::from_chars(at, end, shape->emplace_back());
    if (error != std::errc()) return false;
    at = rest == end ? rest : rest + 1;
  }
  return true;
}

// Reads the header: a Python dict with exactly three keys, in any order and with either kind of quote.
// Returns false for anything else.
bool ReadDict(std::string text, Header* header) {
  static const std::string descr = R"(['"]descr['"]:['"]([^'"\\]*)['"])",
                           order = R"(['"]fortran_order['"]:(True|False))",
                           shape = R"(['"]shape['"]:\(((\d+,?)*)\))";
  static const std::string item = "(" + descr + "|" + order + "|" + shape + ")";
  static const std::regex whole("\\{" + item + "," + item + "," + item + ",?\\}");
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; }),
             text.end());
  constexpr std::size_t kLongest = 1000;  // std::regex uses stack space for each character
  std::smatch of_descr, of_order, of_shape;
  if (text.size() > kLongest || !std::regex_match(text, whole) ||
      !std::regex_search(text, of_descr, std::regex(descr)) ||
      !std::regex_search(text, of_order, std::regex(order)) ||
      !std::regex_search(text, of_shape, std::regex(shape))) {
    return false;
  }
  header->descr = of_descr[1];
  header->fortran_order = of_order[1] == "True";
  return ReadShape(of_shape[1], &header->shape);
}

std::size_t LittleEndian(const std::string& bytes, std::size_t at, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t k = 0; k < count; ++k) {
    value |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
  }
  return value;
}

std::optional<posenc_type> TypeNamed(const std::string& descr) {
  if (descr == "<f4") return POSENC_F32;
  if (descr == "<f2") return POSENC_F16;
  if (descr == "<f8") return POSENC_F64;
  if (descr == "<u2") return POSENC_BF16;
  return std::nullopt;
}

// Reads the header, and returns the offset of the first entry.
std::size_t ReadHeader(const std::string& path, const std::string& bytes, Header* header) {
  constexpr std::size_t kMagicBytes = 8;
  if (bytes.compare(0, 6, "\x93NUMPY") != 0 || bytes.size() < kMagicBytes)
    Refuse("identify", path, "a NumPy file (.npy)");
  const auto major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) Refuse("identify", path, "of NumPy's format 1.0, 2.0 or 3.0");
  const std::size_t length_bytes = major == 1 ? 2 : 4, begin = kMagicBytes + length_bytes;
  const std::size_t length = bytes.size() < begin ? 0 : LittleEndian(bytes, kMagicBytes, length_bytes);
  if (bytes.size() < begin || bytes.size() - begin < length ||
      !ReadDict(bytes.substr(begin, length), header)) {
    Refuse("identify", path, "a NumPy file with a whole header");
  }
  return begin + length;
}

// Removes dimensions of 1 before the last, such as a batch of one, (1, rows, columns), or a single head,
// (rows, 1, columns).
void DropOnes(std::vector<std::size_t>* shape) {
  while (shape->size() > 2) {
    const auto one = std::find(shape->begin(), shape->end() - 1, 1u);
    if (one == shape->end() - 1) return;
    shape->erase(one);
  }
}

}  // namespace

NpyTable ReadNpy(const std::string& path, std::size_t max_rows, std::size_t max_entries) {
  const std::string bytes = ReadFile("identify", path);
  Header header;
  const std::size_t begin = ReadHeader(path, bytes, &header);
  const std::optional<posenc_type> type = TypeNamed(header.descr);
  if (!type)
    Refuse("identify", path,
           "a table of <f4, <f2, <f8 or, for bfloat16, <u2; its type is " + Abbreviated(header.descr));
  DropOnes(&header.shape);
  const std::size_t parts = header.shape.size() == 3 && header.shape[0] == 2 ? 2 : 1;
  if (parts == 2) header.shape.erase(header.shape.begin());
  if (header.shape.size() != 2) {
    Refuse("identify", path,
           "a table with rows and columns; it has " + std::to_string(header.shape.size()) + " dimensions");
  }
  const std::size_t columns = header.shape[1];  // in each of the parts
  NpyTable table = {*type, header.shape[0], columns * parts, 0, {}};
  if (table.rows == 0 || columns == 0 || columns > kMaxColumns / parts) {
    Refuse("identify", path, "a table with at least 1 row and 1 .. 131072 columns");
  }
  const std::size_t size = TraitsOf(*type).size, given = bytes.size() - begin;
  if (given % (size * table.columns) != 0 || given / (size * table.columns) != table.rows) {
    Refuse("identify", path, "of the size that its header says");
  }
  table.kept = std::clamp<std::size_t>(max_entries / table.columns, 1, std::min(max_rows, table.rows));
  table.entries.Reset(*type, table.kept * table.columns);
  const std::size_t row_step = header.fortran_order ? parts : columns;
  const std::size_t column_step = header.fortran_order ? table.rows * parts : 1;
  const std::size_t part_step = header.fortran_order ? 1 : table.rows * columns;
  for (std::size_t r = 0; r < table.kept; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      const std::size_t place = r * row_step + c % columns * column_step + c / columns * part_step;
      const std::size_t at = begin + place * size;
      table.entries.Set(r * table.columns + c, LittleEndian(bytes, at, size));
    }
  }
  return table;
}

}  // namespace tools
}  // namespace posenc
