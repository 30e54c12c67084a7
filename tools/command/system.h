// What the command asks of the operating system, where C++ has no word for it: POSIX in system_posix.cc,
// Windows in system_windows.cc.
#ifndef POSENC_TOOLS_COMMAND_SYSTEM_H_
#define POSENC_TOOLS_COMMAND_SYSTEM_H_

#include <cstdio>
#include <string>

namespace posenc {
namespace tools {

// To be called first: a broken pipe and a file that grows beyond its limit become errors of the write, a
// stream that was closed stays unusable instead of becoming the next file that is opened, and bytes are
// written as they are.
void PrepareStreams();

bool IsStderrATerminal();

// Standard output once more, under a descriptor of its own. Null and errno if that fails.
std::FILE* OpenStdout();

// Signals that end the command, unless they are ignored (as nohup wants it).
void OnEndingSignals(void (*handler)(int));

// Whether a file that exists may be written.
bool MayWrite(const std::string& path);

// Opens a file that does not exist yet; it gets the owner and permissions of another, as far as this user
// may, unless `like` is empty. Null and errno if that fails.
std::FILE* CreateNew(const std::string& path, const std::string& like);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_SYSTEM_H_
