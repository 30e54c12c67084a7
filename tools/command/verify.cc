// posenc verify: compares every target of this machine with MPFR, and prints a digest that is the same on
// every machine.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "command/commands.h"
#include "command/options.h"
#include "command/system.h"
#include "posenc/posenc.h"
#include "verify/cases.h"
#include "verify/describe.h"
#include "verify/json.h"
#include "verify/outcome.h"
#include "verify/verify.h"
#include "verify/worst_cases.h"
#ifdef POSENC_HAVE_MPFR
#include <mpfr.h>
#endif

namespace posenc {
namespace tools {
namespace {

// More threads than this would only be slower.
constexpr unsigned kMaxThreads = 1024;

struct Request {
  bool quick = false, full = false;
  std::optional<std::string> target, json;
  unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads);
  std::size_t part = 1, parts = 1;
  std::size_t reference_every = 32;
  std::uint64_t seed = 20260101;
  std::optional<std::string> areas;  // only areas with this text in their names are compared
};

void ShowProgress(double fraction) {
  static const bool on_terminal = IsStderrATerminal();
  static int shown = -1;
  const int percent = static_cast<int>(100.0 * fraction);
  if (!on_terminal || percent == shown) return;
  shown = percent;
  std::fprintf(stderr, "\rverify: %d %%%s", percent, percent == 100 ? "\r              \r" : "");
}

void NoteFewerThreads(unsigned started, unsigned wanted) {
  std::fprintf(stderr, "posenc: only %u of %u threads could be started\n", started, wanted);
}

Plan MakePlan(const Request& request, const std::vector<posenc_target>& targets) {
  Plan plan;
  for (const posenc_target& target : targets) {
    if (target.runnable != 0) plan.targets.emplace_back(target.name);
  }
  plan.threads = request.threads;
  plan.progress = ShowProgress;
  plan.fewer_threads = NoteFewerThreads;
  return plan;
}

Plan PlanCases(const Request& request, const std::vector<posenc_target>& targets) {
  Plan plan = MakePlan(request, targets);
  plan.groups = {{"cases", DigestCases()}};
  std::vector<Case>& cases = plan.groups[0].cases;
  plan.digested = cases.size();
  plan.compare = kHaveOracle;
  plan.reference_every = 16;
  if (!kHaveOracle || request.quick || request.part != 1) return plan;
  for (const Case& c : TableCases()) cases.push_back(c);
  return plan;
}

std::vector<Group> AreasOf(const Request& request) {
  std::vector<Group> areas = FullAreas(request.seed);
  if (!request.areas) return areas;
  const auto is_left_out = [&](const Group& area) {
    return request.areas->empty() || NameOf(area).find(*request.areas) == std::string::npos;
  };
  areas.erase(std::remove_if(areas.begin(), areas.end(), is_left_out), areas.end());
  if (areas.empty()) Refuse("--areas", *request.areas, "part of the name of an area, for example rotation");
  return areas;
}

Plan PlanAreas(const Request& request, const std::vector<posenc_target>& targets) {
  Plan plan = MakePlan(request, targets);
  if (request.full) plan.groups = AreasOf(request);
  plan.are_areas = true;
  plan.reference_every = request.reference_every;
  plan.part = request.part - 1;
  plan.parts = request.parts;
  return plan;
}

bool AllRight(const GroupReport& cases) {
  return std::all_of(cases.reports.begin(), cases.reports.end(), IsRight);
}

void PrintRow(const posenc_target& target, const Report* report) {
  if (report == nullptr) {
    std::printf("%-10s skipped: this CPU cannot run it\n", target.name);
    return;
  }
  const Findings& found = report->found;
  const bool has_tiers = report->target != kReferenceName;
  const auto pairs = [&](std::size_t count, const char* other) {
    return has_tiers ? std::to_string(count) : other;
  };
  char ulp[32];
  std::snprintf(ulp, sizeof(ulp), "%.9f", found.worst_ulp);
  std::printf("%-10s %14" PRIu64 " %10" PRIu64 " %11s %11s %8s %9s  %016" PRIx64 "\n", target.name,
              found.entries, found.mismatches, kHaveOracle ? ulp : "-",
              pairs(found.tally.direct, "-").c_str(), pairs(found.tally.recomputed, "all").c_str(),
              pairs(found.tally.widest, "-").c_str(), report->digest.value());
}

void PrintHead(const Plan& plan) {
  if (!plan.compare) std::puts("Built without MPFR: only the digest is checked.");
  if (plan.compare && !kHaveOracle) {
    std::printf("Built without MPFR, and a digest is wrong: all targets are compared with %s.\n",
                kReferenceName);
  }
  if (plan.groups[0].cases.size() > plan.digested) {
    std::printf("%s, which is slow, takes one chunk in %zu beyond the digest cases.\n", kReferenceName,
                plan.reference_every);
  }
  std::printf("%-10s %14s %10s %11s %11s %8s %9s  digest\n", "target", "entries", "mismatches", "worst ULP",
              "direct", "256 bits", "1024 bits");
}

void PrintExamples(const Findings& found) {
  for (const Example& example : found.examples) std::printf("mismatch: %s\n", example.text.c_str());
}

void PrintMismatches(const Report& report) {
  const Findings& found = report.found;
  const char* target = report.target.c_str();
  PrintExamples(found);
  if (found.mismatches > found.examples.size()) {
    std::printf("mismatch: %s: %" PRIu64 " more\n", target, found.mismatches - found.examples.size());
  }
  if (report.digest.value() != kGoldenDigest) {
    std::printf("mismatch: %s: digest v%d %016" PRIx64 " instead of %016" PRIx64 "\n", target, kDigestVersion,
                report.digest.value(), kGoldenDigest);
  }
}

void PrintCases(const Plan& plan, const Outcome& outcome) {
  PrintHead(plan);
  std::size_t next = 0;
  for (const posenc_target& target : outcome.targets) {
    PrintRow(target, target.runnable != 0 ? &outcome.cases.reports[next++] : nullptr);
  }
  for (const Report& report : outcome.cases.reports) {
    if (!IsRight(report)) PrintMismatches(report);
  }
}

std::vector<WorstReport> TryWorstCases(const std::vector<std::string>& targets) {
  std::vector<WorstReport> reports;
  for (const std::string& target : targets)
    reports.push_back({target, WorstCases().size(), WrongResults(target)});
  return reports;
}

void PrintWorstCases(const std::vector<WorstReport>& reports) {
  std::printf("%zu worst cases on each target\n", WorstCases().size());
  constexpr std::size_t kMost = 10;
  for (const WorstReport& report : reports) {
    for (std::size_t k = 0; k < std::min(kMost, report.wrong.size()); ++k) {
      std::printf("mismatch: %s\n", report.wrong[k].c_str());
    }
  }
}

void PrintAreas(const Outcome& outcome) {
  const Plan& plan = outcome.areas;
  if (plan.groups.empty()) return;
  std::printf("\nPart %zu of %zu; seed of random runs %" PRIu64 "; %s takes one chunk in %zu.\n",
              plan.part + 1, plan.parts, outcome.seed, kReferenceName, plan.reference_every);
  for (std::size_t a = 0; a < plan.groups.size(); ++a) {
    std::printf("\n%s\n", NameOf(plan.groups[a]).c_str());
    for (const Report& report : outcome.area_reports[a].reports) {
      const Findings& found = report.found;
      std::printf("%-10s %-17s %-4s %14" PRIu64 " %10" PRIu64 " %11zu %8zu %9zu %8.1f s\n",
                  report.target.c_str(), report.call.c_str(), TraitsOf(report.type).name, found.entries,
                  found.mismatches, found.tally.direct, found.tally.recomputed, found.tally.widest,
                  report.seconds);
    }
    PrintExamples(outcome.area_reports[a].found);
  }
}

#ifdef POSENC_HAVE_MPFR

void* AllocateOrEnd(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) EndOutOfMemory();
  return block;
}

void* ReallocateOrEnd(void* old, std::size_t, std::size_t size) {
  void* const block = std::realloc(old, size);
  if (block == nullptr) EndOutOfMemory();
  return block;
}

void Free(void* block, std::size_t) { std::free(block); }

// Makes MPFR end the command with a message when memory runs out. Its own functions abort.
void TameMpfr() { mp_set_memory_functions(AllocateOrEnd, ReallocateOrEnd, Free); }

#else

void TameMpfr() {}

#endif

ExitStatus VerifyTargets(const Request& request) {
  if (request.json && !kHaveJson) throw UsageError("--json: built without RapidJSON");
  if (request.json == "-") Refuse("--json", "-", "a file, and standard output has the table");
  if (request.full && !kHaveOracle) throw UsageError("--full: needs MPFR, and this posenc was built without");
  if (request.json)
    RequireExtension("--json", *request.json, ".json", "a name of a JSON file, such as report.json");
  std::unique_ptr<OutputFile> json;  // opened first, so that an error comes before the long wait
  if (request.json) json = std::make_unique<OutputFile>("--json", *request.json);
  TameMpfr();
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  if (request.full) AreasOf(request);  // throws if no area has the name
  outcome.targets = request.target ? std::vector<posenc_target>{FindTarget("--target", *request.target)}
                                   : CompiledTargets();
  outcome.seed = request.seed;
  Plan plan = PlanCases(request, outcome.targets);
  outcome.cases = Verify(plan).front();
  if (!plan.compare && !AllRight(outcome.cases)) {
    plan.compare = true;  // finds the entries that differ
    outcome.cases = Verify(plan).front();
  }
  PrintCases(plan, outcome);
  outcome.worst = TryWorstCases(plan.targets);
  PrintWorstCases(outcome.worst);
  if (request.full) FlushStdout();  // the areas take long
  outcome.areas = PlanAreas(request, outcome.targets);
  outcome.area_reports = Verify(outcome.areas);
  PrintAreas(outcome);
  outcome.right = AllRight(outcome.cases) &&
                  std::all_of(outcome.worst.begin(), outcome.worst.end(),
                              [](const WorstReport& worst) { return worst.wrong.empty(); }) &&
                  std::all_of(outcome.area_reports.begin(), outcome.area_reports.end(),
                              [](const GroupReport& area) { return area.found.right(); });
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
#ifdef POSENC_HAVE_JSON
  if (json != nullptr) WriteJson(outcome, json.get());
#endif
  std::vector<std::string> area_names;
  for (const Group& area : outcome.areas.groups) area_names.push_back(NameOf(area));
  const char* const other = !plan.compare ? nullptr : kHaveOracle ? "MPFR" : kReferenceName;
  std::printf("%s\n", Verdict(outcome, area_names, other).c_str());
  // The last line: scripts read it.
  std::printf("digest v%d %016" PRIx64 "\n", kDigestVersion, outcome.cases.reports.front().digest.value());
  return outcome.right ? kRight : kMismatch;
}

void ParsePart(const std::string& text, Request* request) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const bool are_integers =
      internal::ReadNumber(text.substr(0, slash), &request->part) &&
      internal::ReadNumber(text.substr(std::min(slash + 1, text.size())), &request->parts);
  if (!are_integers || request->part < 1 || request->part > request->parts)
    Refuse("--part", text, "I/N with integers 1 <= I <= N, for example 1/8");
}

void AddFullOptions(CLI::App& app, Request* request) {
  CLI::Option* const full = app.get_option("--full");
  app.add_option("--areas", request->areas,
                 "Compare only areas of --full with WORD in their name, for example rotation [all]")
      ->type_name("WORD")
      ->needs(full);
  AddOption(app, "--part", "I/N",
            "Compare only part I of N parts of --full; tools/sum-reports adds the JSON files up [1/1]",
            [=](const std::string& text) { ParsePart(text, request); })
      ->needs(full);
  AddNumber(app, "--reference-every", "N", "REFERENCE is slow and compares only one chunk in N [32]",
            &request->reference_every, 1)
      ->needs(full);
  AddNumber(app, "--seed", "S", "Seed of the random runs near 0, 2^24 and 2^31 [20260101]", &request->seed)
      ->needs(full);
}

}  // namespace

void AddVerifyCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("verify", "Compare every target that this CPU runs with MPFR");
  command->footer(
      "Compares every entry. The last line but one says 'right', or 'wrong' and what differs. The last line\n"
      "is a digest of the outputs, which is the same on every machine and in every mode.\n"
      "Without --quick and --full, verify compares the digest's cases and whole tables of usual sizes.\n"
      "The last columns count pairs that the rounding test sent to a slower method: from angle addition to\n"
      "the direct kernel, then to wide arithmetic with 256 bits, then with 1,024 bits.\n"
      "Example: posenc verify --full --areas rotation --part 1/16 --json part1.json");
  const auto request = std::make_shared<Request>();
  CLI::Option* quick =
      command->add_flag("--quick", request->quick, "Compare only the digest's cases (takes seconds)");
  command
      ->add_flag(
          "--full", request->full,
          "Compare also all positions in common use, in all types, as runs and lists; rotations; and caches "
          "(takes 45 minutes)")
      ->excludes(quick);
  command->add_option("--target", request->target, "Verify only this target, from 'posenc targets' [all]")
      ->type_name("NAME");
  command->add_option("--json", request->json, "Also write a report to this file")->type_name("FILE");
  AddNumber(*command, "--threads", "N", "Number of threads, 1 .. 1024 [the number of processors]",
            &request->threads, 1u, kMaxThreads);
  AddFullOptions(*command, request.get());
  command->callback([=] { *run = [=] { return VerifyTargets(*request); }; });
}

}  // namespace tools
}  // namespace posenc
