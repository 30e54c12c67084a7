// posenc: lists the targets of the library, prints, saves or draws encodings, and verifies them against MPFR.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "command/commands.h"
#include "command/options.h"

namespace {

using posenc::tools::ExitStatus;

constexpr char kDescription[] =
    "Sinusoidal position encodings, every entry correctly rounded, the same bits on every target.\n"
    "Exit status: 0 right, 1 mismatch found, 2 wrong usage or not possible here.";

ExitStatus Fail(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fprintf(stderr, "posenc: %s\n", message.c_str());
  return ExitStatus::kWrongUsage;
}

// What was printed may still be in the buffer, and the disk full.
ExitStatus FlushOutput(ExitStatus status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return Fail(std::string("cannot write the output: ") + std::strerror(errno));
}

ExitStatus Main(int argc, char** argv) {
  CLI::App app(kDescription, "posenc");
  app.footer(
      "'posenc COMMAND --help' lists the options of a command, each with its default, as =VALUE or [VALUE].");
  app.require_subcommand(0, 1);  // none is complained about below, after unknown words
  posenc::tools::Run run;
  posenc::tools::AddTargetsCommand(app, &run);
  posenc::tools::AddTableCommand(app, &run);
  posenc::tools::AddPlotCommand(app, &run);
  posenc::tools::AddVerifyCommand(app, &run);
  try {
    app.parse(argc, argv);
    if (!run) return Fail("a subcommand is required: targets, table, plot or verify");
    return FlushOutput(run());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return Fail(error.what());
    app.exit(error);  // prints what --help asks for
    return FlushOutput(ExitStatus::kRight);
  } catch (const std::bad_alloc&) {
    return Fail("out of memory");
  } catch (const std::exception& error) {
    return Fail(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) { return Main(argc, argv); }
