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
#include <nlohmann/json.hpp>
#include <string>

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

using Json = nlohmann::ordered_json;

#ifdef _WIN32
std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "unknown" : value;
}

std::string CpuName() { return Variable("PROCESSOR_IDENTIFIER"); }

std::string Architecture() { return Variable("PROCESSOR_ARCHITECTURE"); }
#else
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
#endif

std::string Dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

// Where the report was made.
Json DescribeMachine() {
  Json facts = {
      {"posenc", Dotted(posenc_version() / 10000, posenc_version() / 100 % 100, posenc_version() % 100)},
      {"cpu", CpuName()},
      {"architecture", Architecture()}};
#if defined(__clang__)
  facts["compiler"] = "Clang " __clang_version__;
#elif defined(__GNUC__)
  facts["compiler"] = "GCC " __VERSION__;
#else
  facts["compiler"] = "neither Clang nor GCC";
#endif
#ifdef __GLIBC__
  facts["c_library"] = std::string("glibc ") + gnu_get_libc_version();
#else
  facts["c_library"] = "not glibc";
#endif
  facts["highway"] = Dotted(HWY_MAJOR, HWY_MINOR, HWY_PATCH);
#ifdef POSENC_HAVE_MPFR
  facts["mpfr"] = mpfr_get_version();
#endif
  return facts;
}

// The UTC time now, as "2026-01-31T23:59:59Z".
std::string TimeStamp() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

Json Hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "%016" PRIx64, value);
  return text;
}

Json TallyJson(const internal::Tally& tally) {
  return {{"direct", tally.direct}, {"wide", tally.recomputed}, {"widest", tally.widest}};
}

Json ExampleTexts(const std::vector<Example>& examples) {
  Json texts = Json::array();
  for (const Example& example : examples) texts.push_back(example.text);
  return texts;
}

Json TargetJson(const Target& target, const Report* report) {
  Json json = {{"name", target.name}, {"runnable", target.runnable != 0}};
  if (report == nullptr) return json;
  const Findings& found = report->found;
  json["entries"] = found.entries;
  json["mismatches"] = found.mismatches;
  json["worst_ulp"] = found.worst_ulp;
  json["distance_histogram"] = report->distances.bins();
  json["pairs"] = TallyJson(found.tally);
  json["digest"] = Hex(report->digest.value());
  json["examples"] = ExampleTexts(found.examples);
  return json;
}

Json TypeJson(const oracle::Distances& distances, posenc_type type, const Group& area) {
  Json hardest = Json::array();
  for (const oracle::HardEntry& entry : distances.hardest()) {
    char distance[32];
    std::snprintf(distance, sizeof(distance), "%.3g", std::ldexp(static_cast<double>(entry.margin), -64));
    hardest.push_back({{"spec", DescribeSpec(area.cases[entry.origin])},
                       {"position", entry.position},
                       {"pair", entry.pair},
                       {"entry", EntryName(area.cases[entry.origin], entry.sine)},
                       {"value", ShowEntry(type, entry.bits)},
                       {"from_midpoint", distance}});
  }
  return {{"entries", distances.entries()},
          {"worst_ulp", distances.worst_ulp()},
          {"distance_histogram", distances.bins()},
          {"log2_midpoint_histogram", distances.margins()},
          {"hardest", hardest}};
}

Json CountJson(const Report& report) {
  return {{"target", report.target},
          {"type", TraitsOf(report.type).name},
          {"call", report.call},
          {"entries", report.found.entries},
          {"mismatches", report.found.mismatches},
          {"pairs", TallyJson(report.found.tally)},
          {"seconds", report.seconds}};
}

Json AreaJson(const Group& area, const GroupReport& report) {
  Json types = Json::object(), counts = Json::array();
  for (std::size_t k = 0; k < std::size(kSharedTypes); ++k) {
    types[TraitsOf(kSharedTypes[k]).name] = TypeJson(report.distances[k], kSharedTypes[k], area);
  }
  for (const Report& count : report.reports) counts.push_back(CountJson(count));
  return {{"name", NameOf(area)},
          {"types", types},
          {"counts", counts},
          {"examples", ExampleTexts(report.found.examples)}};
}

}  // namespace

void WriteJson(const Outcome& outcome, OutputFile* file) {
  Json json = {{"finished", TimeStamp()}};
  json["machine"] = DescribeMachine();
  json["right"] = outcome.right;
  json["seconds"] = outcome.seconds;
  json["digest"] = {{"version", kDigestVersion},
                    {"value", Hex(outcome.cases.reports.front().digest.value())},
                    {"golden", Hex(kGoldenDigest)}};
  json["targets"] = Json::array();
  std::size_t next = 0;
  for (const Target& target : outcome.targets) {
    const Report* report = target.runnable != 0 ? &outcome.cases.reports[next++] : nullptr;
    json["targets"].push_back(TargetJson(target, report));
  }
  const Plan& plan = outcome.areas;
  if (!plan.groups.empty()) {
    json["part"] = {plan.part + 1, plan.parts};
    json["reference_every"] = plan.reference_every;
    json["seed"] = outcome.seed;
  }
  json["areas"] = Json::array();
  for (std::size_t a = 0; a < plan.groups.size(); ++a) {
    json["areas"].push_back(AreaJson(plan.groups[a], outcome.area_reports[a]));
  }
  file->Write(json.dump(1) + "\n");
  file->Finish();
}

}  // namespace tools
}  // namespace posenc
