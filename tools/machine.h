// What a report should say about where it was made.
#ifndef POSENC_TOOLS_MACHINE_H_
#define POSENC_TOOLS_MACHINE_H_

#include <string>
#include <utility>
#include <vector>

namespace posenc {
namespace tools {

// Names and values: cpu, architecture, compiler, c_library, highway, ...
std::vector<std::pair<std::string, std::string>> DescribeMachine();

// The UTC time now, as "2026-01-31T23:59:59Z".
std::string TimeStamp();

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_MACHINE_H_
