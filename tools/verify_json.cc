#include "verify_json.h"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "encoding.h"
#include "golden_digest.h"
#include "machine.h"
#include "output_file.h"

namespace posenc {
namespace tools {
namespace {

using Json = nlohmann::ordered_json;

Json Hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "%016" PRIx64, value);
  return text;
}

Json TallyJson(const internal::Tally& tally) {
  return {{"direct", tally.direct}, {"wide", tally.recomputed}, {"undecided", tally.undecided}};
}

Json ExampleTexts(const std::vector<Example>& examples) {
  Json texts = Json::array();
  for (const Example& example : examples) texts.push_back(example.text);
  return texts;
}

Json TargetJson(const Target& target, const Report* report) {
  Json json = {{"name", target.name}, {"runnable", target.runnable}};
  if (report == nullptr) return json;
  json["entries"] = report->entries;
  json["mismatches"] = report->mismatches;
  json["worst_ulp"] = report->worst_ulp;
  json["distance_histogram"] = report->distances.bins();
  json["pairs"] = TallyJson(report->tally);
  json["digest"] = Hex(report->digest.value());
  json["examples"] = ExampleTexts(report->examples);
  return json;
}

Json HardJson(const oracle::HardEntry& entry, oracle::Format format, const Spec& spec) {
  char distance[32];
  std::snprintf(distance, sizeof(distance), "%.3g", std::ldexp(static_cast<double>(entry.margin), -64));
  return {{"spec", Describe(spec)},
          {"position", entry.position},
          {"pair", entry.pair},
          {"entry", entry.sine ? "sine" : "cosine"},
          {"value", ShowEntry(format, entry.bits)},
          {"from_midpoint", distance}};
}

Json TypeJson(const oracle::Distances& distances, oracle::Format format, const Area& area) {
  Json hardest = Json::array();
  for (const oracle::HardEntry& entry : distances.hardest()) {
    hardest.push_back(HardJson(entry, format, area.runs[entry.origin].spec));
  }
  return {{"entries", distances.entries()},
          {"worst_ulp", distances.worst_ulp()},
          {"distance_histogram", distances.bins()},
          {"log2_midpoint_histogram", distances.margins()},
          {"hardest", hardest}};
}

Json CountJson(const Count& count) {
  return {{"target", count.target},
          {"type", Name(count.format)},
          {"call", count.as_list ? "WriteAt" : "Write"},
          {"entries", count.entries},
          {"mismatches", count.mismatches},
          {"pairs", TallyJson(count.tally)},
          {"seconds", count.seconds}};
}

Json AreaJson(const Area& area, const AreaReport& report) {
  Json types = Json::object(), counts = Json::array();
  for (std::size_t f = 0; f < 3; ++f) {
    types[Name(kFormats[f])] = TypeJson(report.distances[f], kFormats[f], area);
  }
  for (const Count& count : report.counts) counts.push_back(CountJson(count));
  return {
      {"name", area.name}, {"types", types}, {"counts", counts}, {"examples", ExampleTexts(report.examples)}};
}

}  // namespace

void WriteJson(const Outcome& outcome, OutputFile* file) {
  Json json = {{"finished", TimeStamp()}};
  for (const auto& [name, value] : DescribeMachine()) json["machine"][name] = value;
  json["right"] = outcome.right;
  json["seconds"] = outcome.seconds;
  json["digest"] = {{"version", kDigestVersion},
                    {"value", Hex(outcome.reports.front().digest.value())},
                    {"golden", Hex(kGoldenDigests[kDigestVersion - 1])}};
  json["targets"] = Json::array();
  std::size_t next = 0;
  for (const Target& target : outcome.targets) {
    json["targets"].push_back(TargetJson(target, target.runnable ? &outcome.reports[next++] : nullptr));
  }
  const Exhaustion& plan = outcome.exhaustion;
  if (!plan.areas.empty()) {
    json["part"] = {plan.part + 1, plan.parts};
    json["reference_every"] = plan.reference_every;
    json["seed"] = outcome.seed;
  }
  json["areas"] = Json::array();
  for (std::size_t a = 0; a < plan.areas.size(); ++a) {
    json["areas"].push_back(AreaJson(plan.areas[a], outcome.area_reports[a]));
  }
  const std::string text = json.dump(1) + "\n";
  file->Write(text.data(), text.size());
  file->Finish();
}

}  // namespace tools
}  // namespace posenc
