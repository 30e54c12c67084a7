#include "command/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

#include "command/commands.h"
#include "command/options.h"

namespace posenc {
namespace tools {
namespace {

namespace fs = std::filesystem;

// The unfinished file, for the signal handler: an array, because nothing else may be read in it safely.
char part_to_remove[4096];
std::atomic<bool> has_part{false};
static_assert(std::atomic<bool>::is_always_lock_free, "read by a signal handler");

void RemovePart() {
  if (has_part.exchange(false)) unlink(part_to_remove);
}

// The command still ends by the signal, as its parent expects.
void RemovePartAndEnd(int signal) {
  RemovePart();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void RemovePartOnSignals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU}) {
    const auto before = std::signal(signal, RemovePartAndEnd);
    if (before == SIG_IGN) std::signal(signal, SIG_IGN);  // as nohup wants it
  }
}

// Where the links lead, the last of which may dangle: renaming onto a link would replace it.
fs::path FollowLinks(fs::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

// Beside `path`, and no longer than names may be.
std::string PartName(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string number = std::to_string(std::random_device{}());
  return (path.parent_path() / ((name.size() > 200 ? "posenc" : name) + '.' + number + ".part")).string();
}

// As far as this user may.
void TakePermissions(int to, const struct stat& from) {
  if (fchown(to, from.st_uid, from.st_gid) != 0 && fchown(to, static_cast<uid_t>(-1), from.st_gid) != 0) {
    // then the new file is the user's
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

void FlushStdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) FailToWrite("cannot write the output");
}

void FailToWrite(const std::string& what) {
  if (errno == EPIPE) throw BrokenPipe();
  throw UsageError(what + ": " + std::strerror(errno));
}

void EndOutOfMemory() {
  RemovePart();
  std::fputs("posenc: out of memory\n", stderr);
  std::_Exit(kWrongUsage);
}

OutputFile::OutputFile(const std::string& option, const std::string& path) : option_(option), path_(path) {
  if (path == "-") {
    file_ = fdopen(dup(STDOUT_FILENO), "wb");
    if (file_ == nullptr) Fail();
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path.empty() || status.type() == fs::file_type::none) {
    errno = path.empty() ? ENOENT : error.value();
    Fail();
  }
  const fs::path target = FollowLinks(path);
  // Neither pipes nor files without a name, which the system names in links nevertheless.
  const bool direct =
      fs::exists(status) && !(fs::is_regular_file(status) && fs::equivalent(path, target, error));
  file_ = direct ? std::fopen(path.c_str(), "wb") : OpenPart(target.string());
  if (file_ == nullptr) Fail();
}

std::FILE* OutputFile::OpenPart(const std::string& target) {
  struct stat replaced;
  const bool replace = stat(target.c_str(), &replaced) == 0;
  if (replace && access(target.c_str(), W_OK) != 0) return nullptr;
  path_ = target;
  part_ = PartName(target);
  if (part_.size() >= sizeof(part_to_remove)) {
    errno = ENAMETOOLONG;
    return nullptr;
  }
  std::memcpy(part_to_remove, part_.c_str(), part_.size() + 1);
  has_part = true;  // before there is one, so that no signal comes in between
  RemovePartOnSignals();
  const int descriptor = open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replace ? 0600 : 0666);
  if (descriptor < 0) {
    has_part = false;
    return nullptr;
  }
  if (replace) TakePermissions(descriptor, replaced);
  return fdopen(descriptor, "wb");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  RemovePart();
}

void OutputFile::Write(const std::string& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) Fail();
}

void OutputFile::Finish() {
  std::FILE* const file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) Fail();
  if (part_.empty()) return;
  if (std::rename(part_.c_str(), path_.c_str()) != 0) Fail();
  has_part = false;
}

void OutputFile::Fail() const {
  const int error = errno;
  RemovePart();
  errno = error;
  FailToWrite(option_ + ": cannot write '" + Abbreviated(path_) + "'");
}

}  // namespace tools
}  // namespace posenc
