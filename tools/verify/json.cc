#include "number/exact.h"

#include "verify/json.h"

#include <hwy/base.h>
#include <hwy/highway.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "command/json_text.h"
#include "posenc/accuracy.h"
#include "verify/describe.h"
#ifndef _WIN32
#include <sys/utsname.h>
#endif
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#ifdef POSENC_HAVE_MPFR
#include "oracle/number.h"
#endif

namespace posenc {
namespace tools {
namespace {

#ifdef _WIN32
std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "unknown" : value;
}

std::string CpuName() { return Variable("PROCESSOR_IDENTIFIER"); }

std::string Architecture() { return Variable("PROCESSOR_ARCHITECTURE"); }
#else
// The CPU's name from /proc/cpuinfo, where the key depends on the architecture. Arm CPUs have only numbers
// there.
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
#endif

std::string Dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

// Writes on which machine, and with which compiler, the report was made.
void PutMachine(JsonText* json) {
  json->Member("posenc",
               Dotted(posenc_version() / 10000, posenc_version() / 100 % 100, posenc_version() % 100));
  json->Member("cpu", CpuName());
  json->Member("architecture", Architecture());
#if defined(__clang__)
  json->Member("compiler", "Clang " __clang_version__);
#elif defined(__GNUC__)
  json->Member("compiler", "GCC " __VERSION__);
#else
  json->Member("compiler", "neither Clang nor GCC");
#endif
#ifdef __GLIBC__
  json->Member("c_library", std::string("glibc ") + gnu_get_libc_version());
#else
  json->Member("c_library", "not glibc");
#endif
  json->Member("highway", Dotted(HWY_MAJOR, HWY_MINOR, HWY_PATCH));
#ifdef POSENC_HAVE_MPFR
  json->Member("mpfr", mpfr_get_version());
#endif
}

// The UTC time now, as "2026-01-31T23:59:59Z".
std::string TimeStamp() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

std::string Hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "%016" PRIx64, value);
  return text;
}

void PutTally(const internal::Tally& tally, JsonText* json) {
  json->ObjectMember("pairs", [&] {
    json->Member("direct", tally.direct);
    json->Member("wide", tally.recomputed);
    json->Member("widest", tally.widest);
  });
}

void PutExamples(const std::vector<Example>& examples, JsonText* json) {
  json->ListMember("examples", examples, [&](const Example& example) { json->Value(example.text); });
}

void PutTarget(const posenc_target& target, const Report* report, JsonText* json) {
  json->Member("name", target.name);
  json->Member("runnable", target.runnable != 0);
  if (report == nullptr) return;
  const Findings& found = report->found;
  json->Member("entries", found.entries);
  json->Member("mismatches", found.mismatches);
  json->Member("worst_ulp", found.worst_ulp);
  json->Member("distance_histogram", report->distances.bins());
  PutTally(found.tally, json);
  json->Member("digest", Hex(report->digest.value()));
  PutExamples(found.examples, json);
}

void PutType(const oracle::Distances& distances, posenc_type type, const Group& area, JsonText* json) {
  json->Member("entries", distances.entries());
  json->Member("worst_ulp", distances.worst_ulp());
  json->Member("distance_histogram", distances.bins());
  json->Member("log2_midpoint_histogram", distances.margins());
  json->ListMember("hardest", distances.hardest(), [&](const oracle::HardEntry& entry) {
    char distance[32];
    std::snprintf(distance, sizeof(distance), "%.3g", std::ldexp(static_cast<double>(entry.margin), -64));
    json->Object([&] {
      json->Member("spec", area.cases[entry.origin].label);
      json->Member("position", entry.position);
      json->Member("pair", entry.pair);
      json->Member("entry", EntryName(area.cases[entry.origin], entry.sine));
      json->Member("value", ShowEntry(type, entry.bits));
      json->Member("from_midpoint", distance);
    });
  });
}

void PutCount(const Report& report, JsonText* json) {
  json->Member("target", report.target);
  json->Member("type", TraitsOf(report.type).name);
  json->Member("call", report.call);
  json->Member("entries", report.found.entries);
  json->Member("mismatches", report.found.mismatches);
  PutTally(report.found.tally, json);
  json->Member("seconds", report.seconds);
}

void PutArea(const Group& area, const GroupReport& report, JsonText* json) {
  json->Member("name", NameOf(area));
  json->ObjectMember("types", [&] {
    for (std::size_t k = 0; k < std::size(kSharedTypes); ++k) {
      json->ObjectMember(TraitsOf(kSharedTypes[k]).name,
                         [&] { PutType(report.distances[k], kSharedTypes[k], area, json); });
    }
  });
  json->ListMember("counts", report.reports,
                   [&](const Report& count) { json->Object([&] { PutCount(count, json); }); });
  PutExamples(report.found.examples, json);
}

void PutOutcome(const Outcome& outcome, JsonText* json) {
  json->Member("finished", TimeStamp());
  json->ObjectMember("machine", [&] { PutMachine(json); });
  json->Member("right", outcome.right);
  json->Member("seconds", outcome.seconds);
  json->ObjectMember("digest", [&] {
    json->Member("version", kDigestVersion);
    json->Member("value", Hex(outcome.cases.reports.front().digest.value()));
    json->Member("golden", Hex(kGoldenDigest));
  });
  std::size_t next = 0;
  json->ListMember("targets", outcome.targets, [&](const posenc_target& target) {
    const Report* report = target.runnable != 0 ? &outcome.cases.reports[next++] : nullptr;
    json->Object([&] { PutTarget(target, report, json); });
  });
  const Plan& plan = outcome.areas;
  if (!plan.groups.empty()) {
    json->Member("part", std::vector<std::uint64_t>{plan.part + 1, plan.parts});
    json->Member("reference_every", plan.reference_every);
    json->Member("seed", outcome.seed);
  }
  std::size_t area = 0;
  json->ListMember("areas", plan.groups, [&](const Group& group) {
    json->Object([&] { PutArea(group, outcome.area_reports[area++], json); });
  });
}

}  // namespace

void WriteJson(const Outcome& outcome, OutputFile* file) {
  JsonText json;
  json.Object([&] { PutOutcome(outcome, &json); });
  file->Write(json.Text() + "\n");
  file->Finish();
}

}  // namespace tools
}  // namespace posenc
