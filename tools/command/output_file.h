// A file that appears under its name only when it is complete.
#ifndef POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_
#define POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_

#include <cstdio>
#include <string>

namespace posenc {
namespace tools {

// Failures throw a UsageError, and a file that is not finished is removed. What is not a regular file
// (/dev/stdout) is written to directly.
class OutputFile {
 public:
  OutputFile(const std::string& option, const std::string& path);  // the option that named it
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(const std::string& bytes);
  void Finish();

 private:
  [[noreturn]] void Fail() const;

  std::string option_;
  std::string path_;
  std::string written_path_;  // path_, or a name beside it until Finish
  std::FILE* file_ = nullptr;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_
