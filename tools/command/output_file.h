// Writes the command's output: standard output, and files that appear only when they are complete.
#ifndef POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_
#define POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_

#include <cstdio>
#include <exception>
#include <string>

namespace posenc {
namespace tools {

// Thrown when the reader of a pipe has left. This is not a failure, but it ends the command.
class BrokenPipe : public std::exception {};

// Flushes stdout, and throws as FailToWrite does if that fails. Printed text may still be in the buffer when
// the disk is full.
void FlushStdout();

// Throws the error of a write that failed, by errno: a BrokenPipe, or a UsageError that begins with `what`.
[[noreturn]] void FailToWrite(const std::string& what);

// Throws a UsageError, "OPTION: 'PATH' is not WANTED", if the path has an extension other than `extension`
// (for example ".npy"; upper and lower case are the same). A path without an extension is accepted.
void RequireExtension(const std::string& option, const std::string& path, const std::string& extension,
                      const std::string& wanted);

// Ends the process as an uncaught std::bad_alloc does: with the same message and exit status. For callbacks
// from C libraries, through which no exception may pass.
[[noreturn]] void EndOutOfMemory();

// A file that appears under its name only when it is complete. Errors throw as FailToWrite does. An
// unfinished file is removed, also when a signal ends the command. If the path is a link, the file that it
// points to is replaced, and the link stays. A file that replaces another one takes its permissions. Standard
// output ("-") and paths that are not regular files (/dev/stdout) are written directly. Only one OutputFile
// may exist at a time.
class OutputFile {
 public:
  OutputFile(const std::string& option, const std::string& path);  // messages name the option
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(const std::string& bytes);
  void Finish();

 private:
  std::FILE* OpenPart(const std::string& target);
  [[noreturn]] void Fail() const;

  std::string option_;
  std::string path_;  // the final path
  std::string part_;  // the temporary path until Finish; empty if the file is written directly
  std::FILE* file_ = nullptr;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_OUTPUT_FILE_H_
