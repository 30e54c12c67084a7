#include "command/system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace posenc {
namespace tools {
namespace {

// Gives a file the owner and the permissions of another file, as far as the user may set them.
void TakePermissions(int to, const struct stat& from) {
  if (fchown(to, from.st_uid, from.st_gid) != 0 && fchown(to, static_cast<uid_t>(-1), from.st_gid) != 0) {
    // the new file keeps the user as its owner
  }
  fchmod(to, from.st_mode & 0777);
}

}  // namespace

void PrepareStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  int lowest;
  do {
    lowest = open("/", O_RDONLY);  // can be neither read nor written
  } while (lowest >= 0 && lowest <= STDERR_FILENO);
  if (lowest >= 0) close(lowest);
}

bool IsStderrATerminal() { return isatty(STDERR_FILENO) != 0; }

std::FILE* OpenStdout() {
  const int descriptor = dup(STDOUT_FILENO);
  return descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
}

void OnEndingSignals(void (*handler)(int)) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU}) {
    const auto before = std::signal(signal, handler);
    if (before == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool MayWrite(const std::string& path) { return access(path.c_str(), W_OK) == 0; }

std::FILE* CreateNew(const std::string& path, const std::string& like) {
  struct stat replaced;
  const bool replace = !like.empty() && stat(like.c_str(), &replaced) == 0;
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replace ? 0600 : 0666);
  if (descriptor < 0) return nullptr;
  if (replace) TakePermissions(descriptor, replaced);
  return fdopen(descriptor, "wb");
}

}  // namespace tools
}  // namespace posenc
