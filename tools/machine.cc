#include "machine.h"

#include <hwy/base.h>
#include <hwy/highway.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#ifdef POSENC_HAVE_MPFR
#include "number.h"
#endif

namespace posenc {
namespace tools {
namespace {

// As the kernel calls it; Arm's has numbers only, and others have other words for it.
std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  std::string parts;
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    std::string value = line.substr(colon + 2);
    if (name == "model name" || name == "cpu" || name == "uarch") return value;
    if (name == "CPU implementer") parts = "implementer " + value;
    if (name == "CPU part" && !parts.empty()) return parts.append(", part ").append(value);
  }
  return "unknown";
}

std::string Architecture() {
  utsname names;
  return uname(&names) == 0 ? names.machine : "unknown";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> DescribeMachine() {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"posenc", POSENC_VERSION}, {"cpu", CpuName()}, {"architecture", Architecture()}};
#ifdef __clang__
  facts.emplace_back("compiler", "Clang " __clang_version__);
#else
  facts.emplace_back("compiler", "GCC " __VERSION__);
#endif
#ifdef __GLIBC__
  facts.emplace_back("c_library", std::string("glibc ") + gnu_get_libc_version());
#else
  facts.emplace_back("c_library", "not glibc");
#endif
  facts.emplace_back("highway", std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." +
                                    std::to_string(HWY_PATCH));
#ifdef POSENC_HAVE_MPFR
  facts.emplace_back("mpfr", mpfr_get_version());
#endif
  return facts;
}

std::string TimeStamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc;
  char text[32];
  gmtime_r(&now, &utc);
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace tools
}  // namespace posenc
