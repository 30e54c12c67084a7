// Command-line values: numbers are read strictly (the whole word, no overflow), and whatever is wrong
// becomes one exception with one line to say.
#ifndef POSENC_TOOLS_COMMAND_OPTIONS_H_
#define POSENC_TOOLS_COMMAND_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "command/require.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// Ends the command with exit status 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A text that fits in a line of a message, with its end left out if need be.
std::string Abbreviated(const std::string& text);

// "; did you mean 'NAME'?", of the name that is most like `text`; nothing if none is.
std::string Suggestion(const std::string& text, const std::vector<std::string>& names);

// Throws the UsageError "OPTION: 'TEXT' is not WANTED", the text abbreviated, and the Suggestion.
[[noreturn]] void Refuse(const std::string& option, const std::string& text, const std::string& wanted,
                         const std::vector<std::string>& names = {});

// Throws the UsageError "OPTION: 'TEXT' is not one of A|B|C", and the Suggestion.
[[noreturn]] void RefuseChoice(const std::string& option, const std::string& text,
                               const std::vector<std::string>& names);

// "A|B|C"
std::string Joined(const std::vector<std::string>& names);

// The rows of Targets().
std::vector<Target> CompiledTargets();

// The target of that name, or a UsageError if there is none or this CPU cannot run it.
Target FindTarget(const std::string& option, const std::string& name);

// Each reads the whole of `text` or throws a UsageError that names the option.
std::int64_t ParseInteger(const std::string& option, const std::string& text);
std::size_t ParseCount(const std::string& option, const std::string& text);
double ParseReal(const std::string& option, const std::string& text);

// The bytes of a file of at most 256 MiB, or a UsageError that names the option.
std::string ReadFile(const std::string& option, const std::string& path);

// "0,0.5,9", or @FILE with numbers separated by white space or commas, at least one. Each is `wanted`, which
// `fits` decides; the message counts the items.
std::vector<double> ParseList(const std::string& option, const std::string& text, const std::string& wanted,
                              const std::function<bool(double)>& fits);

// An option NAME TYPE whose word goes to `parse`.
CLI::Option* AddOption(CLI::App& app, const std::string& name, const std::string& type,
                       const std::string& help, const std::function<void(const std::string& text)>& parse);

// An option that takes one of the names of some values; the first is the default.
template <class Value>
CLI::Option* AddChoice(CLI::App& app, const std::string& name, const std::string& help, Value* value,
                       const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& choice : choices) names.push_back(choice.first);
  const auto parse = [=](const std::string& text) {
    for (const auto& choice : choices) {
      if (choice.first == text) {
        *value = choice.second;
        return;
      }
    }
    RefuseChoice(name, text, names);
  };
  return AddOption(app, name, Joined(names), help, parse)->default_str(choices.front().first);
}

// --format text|json
inline void AddFormat(CLI::App& app, bool* as_json) {
  AddChoice<bool>(app, "--format", "Lines for people, or JSON", as_json, {{"text", false}, {"json", true}});
}

// For builds without nlohmann-json.
[[noreturn]] inline void RefuseJson() { throw UsageError("--format json: built without nlohmann-json"); }

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_OPTIONS_H_
