#include "command/options.h"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace posenc {
namespace tools {
namespace {

template <class Integer>
Integer ParseWhole(const std::string& option, const std::string& text, const std::string& wanted) {
  Integer value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) Refuse(option, text, wanted);
  return value;
}

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Some files never end.
constexpr std::size_t kLongestFile = std::size_t{1} << 28;

}  // namespace

std::string Abbreviated(const std::string& text) {
  constexpr std::size_t kLongest = 200;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

void Refuse(const std::string& option, const std::string& text, const std::string& wanted) {
  std::string message = option;
  message.append(": '").append(Abbreviated(text)).append("' is not ").append(wanted);
  throw UsageError(message);
}

std::vector<Target> CompiledTargets() {
  Target targets[kMaxTargets];
  return {targets, targets + Targets(targets)};
}

void Require(posenc_status status) {
  if (status != POSENC_OK) throw UsageError(posenc_status_message(status));
}

Target FindTarget(const std::string& option, const std::string& name) {
  for (const Target& target : CompiledTargets()) {
    if (name != target.name) continue;
    if (target.runnable) return target;
    Refuse(option, name, "a target that this CPU can run");
  }
  Refuse(option, name, "a target; see 'posenc targets'");
}

std::int64_t ParseInteger(const std::string& option, const std::string& text) {
  return ParseWhole<std::int64_t>(option, text, "an integer that 64 bits can hold");
}

std::size_t ParseCount(const std::string& option, const std::string& text) {
  return ParseWhole<std::size_t>(option, text, "a whole number below 2^64");
}

double ParseReal(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && !IsSpace(text[0]) && end == text.c_str() + text.size();
  const bool overflow = std::isinf(value) && text.find_first_of("0123456789") != std::string::npos;
  if (!whole || overflow) Refuse(option, text, "a number that a double can hold");
  return value;
}

std::string ReadFile(const std::string& option, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char block[4096];
  while (file.read(block, sizeof(block)), file.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLongestFile) Refuse(option, path, "a file of at most 256 MiB");
  }
  // A directory can be opened, but not read.
  if (!file.is_open() || file.bad()) {
    Refuse(option, path, std::string("a file that can be read: ") + std::strerror(errno));
  }
  return text;
}

std::vector<double> ParseList(const std::string& option, const std::string& text, const std::string& wanted,
                              const std::function<bool(double)>& fits) {
  const std::string list = text.substr(0, 1) == "@" ? ReadFile(option, text.substr(1)) : text;
  std::vector<double> values;
  for (std::size_t i = 0;;) {
    while (i < list.size() && IsSpace(list[i])) ++i;
    if (i == list.size() && (list.empty() || values.empty() || list.back() != ',')) break;
    std::size_t end = i;
    while (end < list.size() && list[end] != ',' && !IsSpace(list[end])) ++end;
    const std::string item = list.substr(i, end - i);
    const std::string place = option + ", item " + std::to_string(values.size() + 1);
    values.push_back(ParseReal(place, item));
    if (!fits(values.back())) Refuse(place, item, wanted);
    i = end;
    while (i < list.size() && IsSpace(list[i])) ++i;
    if (i == list.size()) break;
    if (list[i] == ',') ++i;
  }
  if (values.empty()) throw UsageError(option + ": the list is empty");
  return values;
}

CLI::Option* AddOption(CLI::App& app, const std::string& name, const std::string& type,
                       const std::string& help, const std::function<void(const std::string& text)>& parse) {
  return app.add_option_function<std::string>(name, parse, help)->type_name(type);
}

}  // namespace tools
}  // namespace posenc
