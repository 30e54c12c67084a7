#include "command/npy.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
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

// Reads a dict of Python as NumPy writes it, strictly; each step is false where it finds something else.
class HeaderReader {
 public:
  explicit HeaderReader(const std::string& text) : text_(text) {}

  bool Read(Header* header) {
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Take('{')) return false;
    while (!Take('}')) {
      std::string key;
      if (!String(&key) || !Take(':')) return false;
      if (key == "descr" && !has_descr) {
        has_descr = String(&header->descr);
        if (!has_descr) return false;
      } else if (key == "fortran_order" && !has_order) {
        has_order = Bool(&header->fortran_order);
        if (!has_order) return false;
      } else if (key == "shape" && !has_shape) {
        has_shape = Tuple(&header->shape);
        if (!has_shape) return false;
      } else {
        return false;
      }
      if (!Take(',') && !IsNext('}')) return false;
    }
    SkipSpace();
    return has_descr && has_order && has_shape && at_ == text_.size();
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool IsNext(char c) {
    SkipSpace();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool Take(char c) {
    if (!IsNext(c)) return false;
    ++at_;
    return true;
  }
  bool Word(const std::string& word) {
    SkipSpace();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  bool Bool(bool* value) {
    *value = Word("True");
    return *value || Word("False");
  }
  bool String(std::string* value) {
    const bool is_single = IsNext('\'');
    if (!is_single && !IsNext('"')) return false;
    const std::size_t end = text_.find(is_single ? '\'' : '"', at_ + 1);
    if (end == std::string::npos) return false;
    *value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value->find('\\') == std::string::npos;
  }
  bool Tuple(std::vector<std::size_t>* values) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      SkipSpace();
      std::size_t value = 0;
      const char* begin = text_.data() + at_;
      const auto [rest, error] = std::from_chars(begin, text_.data() + text_.size(), value);
      if (error != std::errc()) return false;
      at_ += static_cast<std::size_t>(rest - begin);
      values->push_back(value);
      if (!Take(',') && !IsNext(')')) return false;
    }
    return true;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

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

// Where the entries begin.
std::size_t ReadHeader(const std::string& path, const std::string& bytes, Header* header) {
  constexpr std::size_t kMagicBytes = 8;
  if (bytes.compare(0, 6, "\x93NUMPY") != 0 || bytes.size() < kMagicBytes)
    Refuse("identify", path, "a NumPy file (.npy)");
  const auto major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) Refuse("identify", path, "of NumPy's format 1.0, 2.0 or 3.0");
  const std::size_t length_bytes = major == 1 ? 2 : 4, begin = kMagicBytes + length_bytes;
  const std::size_t length = bytes.size() < begin ? 0 : LittleEndian(bytes, kMagicBytes, length_bytes);
  if (bytes.size() < begin || bytes.size() - begin < length ||
      !HeaderReader(bytes.substr(begin, length)).Read(header)) {
    Refuse("identify", path, "a NumPy file with a whole header");
  }
  return begin + length;
}

// Leaves rows and columns of a batch of one, or of one head: (1, rows, columns), (rows, 1, columns).
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
           "a table of <f4, <f2, <f8 or, for bfloat16, <u2, but of " + Abbreviated(header.descr));
  DropOnes(&header.shape);
  if (header.shape.size() != 2) {
    Refuse("identify", path,
           "a table of rows and columns, but has " + std::to_string(header.shape.size()) + " dimensions");
  }
  NpyTable table = {*type, header.shape[0], header.shape[1], 0, {}};
  if (table.rows == 0 || table.columns == 0 || table.columns > kMaxColumns) {
    Refuse("identify", path, "a table with rows, and of 1 .. 131072 columns");
  }
  const std::size_t size = TraitsOf(*type).size, given = bytes.size() - begin;
  if (given % (size * table.columns) != 0 || given / (size * table.columns) != table.rows) {
    Refuse("identify", path, "of the size that its header says");
  }
  table.kept = std::clamp<std::size_t>(max_entries / table.columns, 1, std::min(max_rows, table.rows));
  table.entries.Reset(*type, table.kept * table.columns);
  const std::size_t row_step = header.fortran_order ? 1 : table.columns;
  const std::size_t column_step = header.fortran_order ? table.rows : 1;
  for (std::size_t r = 0; r < table.kept; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      const std::size_t at = begin + (r * row_step + c * column_step) * size;
      table.entries.Set(r * table.columns + c, LittleEndian(bytes, at, size));
    }
  }
  return table;
}

}  // namespace tools
}  // namespace posenc
