#include "command/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include "command/options.h"

namespace posenc {
namespace tools {
namespace {

namespace fs = std::filesystem;

// A link is followed, so that the file it names is replaced and not the link.
std::string Resolve(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  return error ? path : resolved.string();
}

}  // namespace

OutputFile::OutputFile(const std::string& option, const std::string& path)
    : option_(option), path_(Resolve(path)), written_path_(path_) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  const bool replace = !fs::exists(status) || fs::is_regular_file(status);
  if (replace) written_path_ += '.' + std::to_string(std::random_device{}()) + ".part";
  file_ = std::fopen(written_path_.c_str(), replace ? "wbx" : "wb");
  if (file_ == nullptr) Fail();
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (written_path_ != path_) std::remove(written_path_.c_str());
}

void OutputFile::Write(const std::string& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) Fail();
}

void OutputFile::Finish() {
  if (std::fflush(file_) != 0) Fail();
  if (written_path_ != path_ && std::rename(written_path_.c_str(), path_.c_str()) != 0) Fail();
  std::fclose(file_);
  file_ = nullptr;
}

void OutputFile::Fail() const {
  throw UsageError(option_ + ": cannot write '" + path_ + "': " + std::strerror(errno));
}

}  // namespace tools
}  // namespace posenc
