// Reads the values of command-line options. Numbers are read strictly: the whole word must be a number in
// range. Every error is a UsageError, with a message of one line.
#ifndef POSENC_TOOLS_COMMAND_OPTIONS_H_
#define POSENC_TOOLS_COMMAND_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "command/require.h"
#include "posenc/posenc.h"
#include "spec/text.h"

namespace posenc {
namespace tools {

// Ends the command with exit status 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The text in a form that is safe to print on a terminal. Bytes that are not UTF-8, control characters,
// invisible characters, and characters that change the direction of writing become \xNN.
std::string Printable(const std::string& text);

// The text, cut if it is too long for a line of a message.
std::string Abbreviated(const std::string& text);

// "; did you mean 'NAME'?" with the name that is most similar to `text`. Empty if no name is similar.
std::string Suggestion(const std::string& text, const std::vector<std::string>& names);

// Throws the UsageError "OPTION: 'TEXT' is not WANTED", followed by a Suggestion from `names`. The text is
// abbreviated.
[[noreturn]] void Refuse(const std::string& option, const std::string& text, const std::string& wanted,
                         const std::vector<std::string>& names = {});

// The same for a text that is not an integer in this range.
[[noreturn]] void RefuseInteger(const std::string& option, const std::string& text, const std::string& least,
                                const std::string& most);

// The end of the message about an option that is given more than once.
inline const char* GivenTwice() { return " is given twice: give it once"; }

// "A|B|C"
std::string Joined(const std::vector<std::string>& names);

// All targets that were compiled, as posenc_targets lists them.
std::vector<posenc_target> CompiledTargets();

// The target with this name. Throws a UsageError if there is none, or if this CPU cannot run it.
posenc_target FindTarget(const std::string& option, const std::string& name);

// Reads an integer from `least` to `most`. Throws a UsageError that names the option if `text` is anything
// else.
template <class Integer>
Integer ParseInteger(const std::string& option, const std::string& text,
                     Integer least = std::numeric_limits<Integer>::min(),
                     Integer most = std::numeric_limits<Integer>::max()) {
  Integer value{};
  if (internal::ReadNumber(text, &value) && value >= least && value <= most) return value;
  RefuseInteger(option, text, std::to_string(least), std::to_string(most));
}

// Reads a number that a double can hold. Throws a UsageError that names the option if `text` is anything
// else.
double ParseReal(const std::string& option, const std::string& text);

// The index of `text` in `words`. Throws a UsageError if it is not there.
std::int32_t ParseChoice(const std::string& option, const std::string& text,
                         const std::vector<std::string>& words);

// The bytes of a file. Throws a UsageError that names the option if the file cannot be read, or if it is
// larger than `most_mib` MiB.
std::string ReadFile(const std::string& option, const std::string& path, std::size_t most_mib = 256);

// The text of a list, "0:0.5:9": the value of an option itself or, if that is @FILE, the numbers in a file,
// which white space or commas separate.
std::string ListText(const std::string& option, const std::string& text);

// Reads a list of numbers from such a text. Throws a UsageError if the list is empty, or if `fits` returns
// false for a number. `wanted` says in words what fits, and the message tells which item does not.
std::vector<double> ParseList(const std::string& option, const std::string& text, const std::string& wanted,
                              const std::function<bool(double)>& fits);

// Adds an option with one value, which is passed to `parse`. --help shows the option as NAME TYPE.
CLI::Option* AddOption(CLI::App& app, const std::string& name, const std::string& type,
                       const std::string& help, const std::function<void(const std::string& text)>& parse);

// Adds an option that takes an integer from `least` to `most`.
template <class Integer>
CLI::Option* AddNumber(CLI::App& app, const std::string& name, const std::string& type,
                       const std::string& help, Integer* number,
                       std::decay_t<Integer> least = std::numeric_limits<Integer>::min(),
                       std::decay_t<Integer> most = std::numeric_limits<Integer>::max()) {
  return AddOption(app, name, type, help, [=](const std::string& text) {
    *number = ParseInteger<Integer>(name, text, least, most);
  });
}

// Adds an option that takes one of `words`. The index of the word is passed to `set`. The first word is the
// default.
CLI::Option* AddChoice(CLI::App& app, const std::string& name, const std::string& help,
                       const std::vector<std::string>& words,
                       const std::function<void(std::int32_t number)>& set);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_OPTIONS_H_
