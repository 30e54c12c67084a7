// Calls of the operating system that C++17 has no function for. system_posix.cc implements them for POSIX,
// and system_windows.cc for Windows.
#ifndef POSENC_TOOLS_COMMAND_SYSTEM_H_
#define POSENC_TOOLS_COMMAND_SYSTEM_H_

#include <cstdio>
#include <string>

namespace posenc {
namespace tools {

// Call this first. Then a broken pipe, or a file that grows beyond its limit, is an error of the write, not a
// signal. If stdin, stdout or stderr is closed, no file that is opened later takes its place. Bytes are
// written unchanged.
void PrepareStreams();

bool IsStderrATerminal();

// Opens standard output a second time, as a new descriptor. On failure returns null and sets errno.
std::FILE* OpenStdout();

// Installs a handler for the signals that end the command. Signals that are ignored, as under nohup, stay
// ignored.
void OnEndingSignals(void (*handler)(int));

// Whether the user may write to an existing file.
bool MayWrite(const std::string& path);

// Creates a file, which must not exist yet. Unless `like` is empty, the file gets the owner and the
// permissions of the file `like`, as far as the user may set them. On failure returns null and sets errno.
std::FILE* CreateNew(const std::string& path, const std::string& like);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_SYSTEM_H_
