#include "command/output_file.h"

#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

#include "command/commands.h"
#include "command/options.h"
#include "command/system.h"

namespace posenc {
namespace tools {
namespace {

namespace fs = std::filesystem;

// The path of the unfinished file, for the signal handler. It is a plain array, because a signal handler
// cannot read a std::string safely.
char part_to_remove[4096];
std::atomic<bool> has_part{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler reads it");

void RemovePart() {
  if (has_part.exchange(false)) std::remove(part_to_remove);
}

// Handles a signal: removes the unfinished file, and then ends the command by the same signal, as its parent
// process expects.
void RemovePartAndEnd(int signal) {
  RemovePart();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// The path behind all links; it need not exist yet. The links must be followed, because renaming a file onto
// a link would replace the link.
fs::path FollowLinks(fs::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

// A name for the unfinished file, in the folder of `path`. It is cut to the length that file names may have.
std::string PartName(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string number = std::to_string(std::random_device{}());
  return (path.parent_path() / ((name.size() > 200 ? "posenc" : name) + '.' + number + ".part")).string();
}

}  // namespace

void FlushStdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) FailToWrite("cannot write the output");
}

void FailToWrite(const std::string& what) {
  if (errno == EPIPE) throw BrokenPipe();
  throw UsageError(what + ": " + std::strerror(errno));
}

void RequireExtension(const std::string& option, const std::string& path, const std::string& extension,
                      const std::string& wanted) {
  std::string given = fs::path(path).extension().string();
  for (char& c : given) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!given.empty() && given != extension) Refuse(option, path, wanted);
}

void EndOutOfMemory() {
  RemovePart();
  std::fputs("posenc: out of memory\n", stderr);
  std::_Exit(kWrongUsage);
}

OutputFile::OutputFile(const std::string& option, const std::string& path) : option_(option), path_(path) {
  if (path == "-") {
    file_ = OpenStdout();
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
  // Pipes are written directly, and so are files that have no name, for which the system still shows a link.
  const bool direct =
      fs::exists(status) && !(fs::is_regular_file(status) && fs::equivalent(path, target, error));
  file_ = direct ? std::fopen(path.c_str(), "wb") : OpenPart(target.string());
  if (file_ == nullptr) Fail();
}

std::FILE* OutputFile::OpenPart(const std::string& target) {
  std::error_code error;
  const bool replace = fs::exists(target, error);
  if (replace && !MayWrite(target)) return nullptr;
  path_ = target;
  part_ = PartName(target);
  if (part_.size() >= sizeof(part_to_remove)) {
    errno = ENAMETOOLONG;
    return nullptr;
  }
  std::memcpy(part_to_remove, part_.c_str(), part_.size() + 1);
  has_part = true;  // set before the file exists, so that a signal in between removes it, too
  OnEndingSignals(RemovePartAndEnd);
  std::FILE* const part = CreateNew(part_, replace ? target : "");
  if (part == nullptr) has_part = false;
  return part;
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
  std::error_code error;
  fs::rename(part_, path_, error);  // on Windows std::rename would not replace an existing file
  if (error) {
    errno = error.default_error_condition().value();
    Fail();
  }
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
