// The command posenc: parses the command line, runs a subcommand, and turns errors into a message and an exit
// status.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/models.h"
#include "command/options.h"
#include "command/output_file.h"
#include "command/system.h"
#include "posenc/posenc_c.h"

namespace {

using posenc::tools::ExitStatus;

constexpr char kDescription[] =
    "Computes sinusoidal position encodings and rotary embeddings. Every entry is correctly rounded, and "
    "has\n"
    "the same bits on every target.\n"
    "Exit status: 0 all is right; 1 a mismatch was found; 2 the options are wrong, or this machine or this\n"
    "build cannot do it; 3 the reader of the output left before its end.";

// Prints an error message, and returns the exit status. The message repeats words of the command line, so it
// is made printable and cut to one line.
ExitStatus Fail(const std::string& message) {
  constexpr std::size_t kLongest = 900;
  std::string line = posenc::tools::Printable(message);
  if (line.size() > kLongest) {
    std::size_t end = kLongest;
    while ((static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // do not cut a character
    line.resize(end);
  }
  std::fprintf(stderr, "posenc: %s\n", line.c_str());
  return ExitStatus::kWrongUsage;
}

std::string Version() {
  const int version = posenc_version();
  return "posenc " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

// Refuses the first unknown word. CLI11's own message would list all words that are left, the last one first.
ExitStatus RefuseExtras(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given.front();
  const std::string word = app.remaining(true).front();
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back("--" + option->get_single_name());
  for (const CLI::App* subcommand : command.get_subcommands({})) names.push_back(subcommand->get_name());
  const std::string suggestion = posenc::tools::Suggestion(word.substr(0, word.find('=')), names);
  const std::string help = given.empty() ? "posenc --help' lists the subcommands, which come first"
                                         : "posenc " + command.get_name() + " --help' lists the options";
  return Fail("'" + posenc::tools::Abbreviated(word) + "' was not expected" +
              (suggestion.empty() ? "; '" + help : suggestion));
}

// The sentence for the first option that is given more often than it may be; "" if there is none.
std::string Repeated(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given.front();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 1 && option->count() > 1)
      return option->get_name() + posenc::tools::GivenTwice();
  }
  return "";
}

// The sentence for an option whose value must be the name of a file, but is written like an option: then the
// user forgot the name. "" if there is none.
std::string WithoutFile(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given.front();
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_type_name() != "FILE" || option->get_positional()) continue;
    for (const std::string& value : option->results()) {
      if (value.rfind("--", 0) == 0)
        return option->get_name() + " needs a FILE, but '" + posenc::tools::Abbreviated(value) +
               "' is written like an option: write ./" + posenc::tools::Abbreviated(value) +
               " if a file has that name";
    }
  }
  return "";
}

ExitStatus ParseAndRun(int argc, char** argv) {
  CLI::App app(kDescription, "posenc");
  std::string footer =
      "'posenc COMMAND --help' lists the options of a command. Defaults are shown as =VALUE or [VALUE].";
  if (!posenc::tools::kHasModels) {
    footer += std::string(
                  "\nThe commands presets, config, diff and identify and the options --preset and --config\n"
                  "are missing: ") +
              posenc::tools::kWithoutModels + ".";
  }
  app.footer(footer);
  app.set_version_flag("--version", Version());
  app.require_subcommand(0, 1);  // a missing subcommand is refused below, because unknown words come first
  posenc::tools::Run run;
  for (const auto add :
       {posenc::tools::AddTargetsCommand, posenc::tools::AddTableCommand, posenc::tools::AddPlotCommand,
        posenc::tools::AddPresetsCommand, posenc::tools::AddConfigCommand, posenc::tools::AddDiffCommand,
        posenc::tools::AddIdentifyCommand, posenc::tools::AddVerifyCommand}) {
    add(app, &run);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    return RefuseExtras(app);
  } catch (const CLI::ArgumentMismatch&) {
    const std::string sentence = Repeated(app);
    if (sentence.empty()) throw;
    return Fail(sentence);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw;
    app.exit(error);  // prints what --help asks for
    run = [] { return ExitStatus::kRight; };
  }
  if (const std::string sentence = WithoutFile(app); !sentence.empty()) return Fail(sentence);
  if (!run) return Fail("a subcommand is required; 'posenc --help' lists them");
  const ExitStatus status = run();
  try {
    posenc::tools::FlushStdout();
  } catch (const posenc::tools::BrokenPipe&) {
    if (status == ExitStatus::kRight) throw;  // the status of a mismatch is more important
  }
  return status;
}

ExitStatus Main(int argc, char** argv) {
  try {
    posenc::tools::PrepareStreams();
    return ParseAndRun(argc, argv);
  } catch (const posenc::tools::BrokenPipe&) {
    return ExitStatus::kBrokenPipe;
  } catch (const std::bad_alloc&) {
    return Fail("out of memory");
  } catch (const std::exception& error) {
    return Fail(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) { return Main(argc, argv); }
