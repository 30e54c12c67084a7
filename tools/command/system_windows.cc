#include "command/system.h"

#include <fcntl.h>
#include <io.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

#include "verify/windows_api.h"

namespace posenc {
namespace tools {

void PrepareStreams() {
  for (std::FILE* stream : {stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
}

bool IsStderrATerminal() { return _isatty(_fileno(stderr)) != 0; }

std::FILE* OpenStdout() {
  const int descriptor = _dup(_fileno(stdout));
  return descriptor < 0 ? nullptr : _fdopen(descriptor, "wb");
}

void OnEndingSignals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGBREAK}) {
    const auto before = std::signal(signal, handler);
    if (before == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool MayWrite(const std::string& path) { return _access(path.c_str(), 2) == 0; }

// A new file takes its permissions from the folder. It is opened so that a signal handler may remove it while
// it is open.
std::FILE* CreateNew(const std::string& path, const std::string&) {
  const HANDLE file = CreateFileA(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                  CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    const std::error_code error(static_cast<int>(GetLastError()), std::system_category());
    errno = error.default_error_condition().value();
    return nullptr;
  }
  const int descriptor = _open_osfhandle(reinterpret_cast<std::intptr_t>(file), _O_BINARY);
  return descriptor < 0 ? nullptr : _fdopen(descriptor, "wb");
}

}  // namespace tools
}  // namespace posenc
