// Command-line values: numbers are read strictly (the whole word, no overflow), and whatever is wrong
// becomes one exception with one line to say.
#ifndef POSENC_TOOLS_COMMAND_OPTIONS_H_
#define POSENC_TOOLS_COMMAND_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "command/require.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// Ends the command with exit status 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Somebody's text as a terminal may get it: bytes that are no UTF-8, control characters, and characters that
// do not show or turn the direction of writing, become \xNN.
std::string Printable(const std::string& text);

// A text that fits in a line of a message, with its end left out if need be.
std::string Abbreviated(const std::string& text);

// "; did you mean 'NAME'?", of the name that is most like `text`; nothing if none is.
std::string Suggestion(const std::string& text, const std::vector<std::string>& names);

// Throws the UsageError "OPTION: 'TEXT' is not WANTED", the text abbreviated, and the Suggestion.
[[noreturn]] void Refuse(const std::string& option, const std::string& text, const std::string& wanted,
                         const std::vector<std::string>& names = {});

// "A|B|C"
std::string Joined(const std::vector<std::string>& names);

// The rows of Targets().
std::vector<posenc_target> CompiledTargets();

// The target of that name, or a UsageError if there is none or this CPU cannot run it.
posenc_target FindTarget(const std::string& option, const std::string& name);

// Reads the whole of `text`, an integer from `least` to `most`, or throws a UsageError that names the option.
template <class Integer>
Integer ParseInteger(const std::string& option, const std::string& text,
                     Integer least = std::numeric_limits<Integer>::min(),
                     Integer most = std::numeric_limits<Integer>::max()) {
  Integer value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool is_number = error == std::errc() && rest == end;
  if (is_number && value >= least && value <= most) return value;
  Refuse(option, text, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
}

// Likewise a number that a double can hold.
double ParseReal(const std::string& option, const std::string& text);

// Which of the words it is; the first is number 0.
std::int32_t ParseChoice(const std::string& option, const std::string& text,
                         const std::vector<std::string>& words);

// The bytes of a file of at most so many MiB, or a UsageError that names the option.
std::string ReadFile(const std::string& option, const std::string& path, std::size_t most_mib = 256);

// "0,0.5,9", or @FILE with numbers separated by white space or commas, at least one. Each is `wanted`, which
// `fits` decides; the message counts the items.
std::vector<double> ParseList(const std::string& option, const std::string& text, const std::string& wanted,
                              const std::function<bool(double)>& fits);

// An option NAME TYPE whose word goes to `parse`.
CLI::Option* AddOption(CLI::App& app, const std::string& name, const std::string& type,
                       const std::string& help, const std::function<void(const std::string& text)>& parse);

// One that takes an integer from `least` to `most`.
template <class Integer>
CLI::Option* AddNumber(CLI::App& app, const std::string& name, const std::string& type,
                       const std::string& help, Integer* number,
                       std::decay_t<Integer> least = std::numeric_limits<Integer>::min(),
                       std::decay_t<Integer> most = std::numeric_limits<Integer>::max()) {
  return AddOption(app, name, type, help, [=](const std::string& text) {
    *number = ParseInteger<Integer>(name, text, least, most);
  });
}

// One that takes a word, the number of which goes to `set`; the first is the default.
CLI::Option* AddChoice(CLI::App& app, const std::string& name, const std::string& help,
                       const std::vector<std::string>& words,
                       const std::function<void(std::int32_t number)>& set);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_OPTIONS_H_
