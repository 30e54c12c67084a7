// Files and streams that the command writes to.
#ifndef POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_
#define POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_

#include <cstdio>
#include <exception>
#include <string>

namespace posenc {
namespace tools {

// Nobody reads the output any more. That is no failure, but it ends the command.
class BrokenPipe : public std::exception {};

// What was printed may still be in the buffer, and the disk full.
void FlushStdout();

// Throws what became of a write, by errno: a BrokenPipe, or a UsageError that begins with `what`.
[[noreturn]] void FailToWrite(const std::string& what);

// Refuses a name with an extension that is not `extension` (".npy", in any case): "OPTION: 'PATH' is not
// WANTED". A name without one may be anything.
void RequireExtension(const std::string& option, const std::string& path, const std::string& extension,
                      const std::string& wanted);

// For libraries in C, through which no exception may pass: ends the process as a std::bad_alloc would.
[[noreturn]] void EndOutOfMemory();

// A file that appears under its name only when it is complete. Failures throw as FailToWrite does, and a file
// that is not finished is removed, also when a signal ends the command. A link stays, and what it names is
// written. A file that is replaced leaves its permissions to the new one. What is not a regular file
// (/dev/stdout) is written to directly, and so is stdout, whose name is "-". There is one such file at a
// time.
class OutputFile {
 public:
  OutputFile(const std::string& option, const std::string& path);  // the option that named it
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(const std::string& bytes);
  void Finish();

 private:
  std::FILE* OpenPart(const std::string& target);
  [[noreturn]] void Fail() const;

  std::string option_;
  std::string path_;  // where it shall be
  std::string part_;  // its name until Finish, or none
  std::FILE* file_ = nullptr;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_
