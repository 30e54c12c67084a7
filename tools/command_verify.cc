// posenc verify: proves every target of this machine right, and prints a digest to compare with others.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "areas.h"
#include "commands.h"
#include "exhaustion.h"
#include "golden_digest.h"
#include "options.h"
#include "posenc/accuracy.h"
#include "posenc/posenc.h"
#include "verify.h"
#include "verify_json.h"

namespace posenc {
namespace tools {
namespace {

struct Request {
  bool quick = false, full = false;
  std::string target;
  std::string json;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::size_t part = 1, parts = 1;
  std::size_t reference_every = 32;
  std::uint64_t seed = 20260101;
};

void ShowProgress(double fraction) {
  static int shown = -1;
  const int percent = static_cast<int>(100.0 * fraction);
  if (percent == shown) return;
  shown = percent;
  std::fprintf(stderr, "\rverify: %d %%%s", percent, percent == 100 ? "\r              \r" : "");
}

std::vector<std::string> RunnableNames(const std::vector<Target>& targets) {
  std::vector<std::string> names;
  for (const Target& target : targets) {
    if (target.runnable) names.push_back(target.name);
  }
  return names;
}

std::function<void(double)> Progress() {
  if (isatty(STDERR_FILENO) != 0) return ShowProgress;
  return [](double) {};
}

Plan MakePlan(const Request& request, const std::vector<Target>& targets) {
  Plan plan;
  plan.digest_cases = DigestCases();
  if (kHaveOracle && !request.quick && request.part == 1) plan.more_cases = TableCases();
  plan.targets = RunnableNames(targets);
  plan.compare = kHaveOracle;
  plan.threads = request.threads;
  plan.progress = Progress();
  return plan;
}

Exhaustion MakeExhaustion(const Request& request, const std::vector<Target>& targets) {
  Exhaustion plan;
  if (!request.full) return plan;
  plan.areas = FullAreas(request.seed);
  plan.targets = RunnableNames(targets);
  plan.threads = request.threads;
  plan.reference_every = request.reference_every;
  plan.part = request.part - 1;
  plan.parts = request.parts;
  plan.progress = Progress();
  return plan;
}

bool HasGoldenDigests(const Report& report) {
  return std::equal(report.digests, report.digests + kDigestVersion, kGoldenDigests);
}

bool IsRight(const Report& report) {
  return report.mismatches == 0 && report.worst_ulp <= kMaxUlp && report.tally.undecided == 0 &&
         HasGoldenDigests(report);
}

bool IsRight(const AreaReport& report) {
  return std::all_of(report.counts.begin(), report.counts.end(),
                     [](const Count& c) { return c.mismatches == 0 && c.tally.undecided == 0; });
}

void Print(const Target& target, const Report* report) {
  std::printf("%-10s", target.name);
  if (report == nullptr) {
    std::puts(" skipped: this CPU cannot run it");
    return;
  }
  std::printf(" %14" PRIu64 " %10" PRIu64, report->entries, report->mismatches);
  if (kHaveOracle) {
    std::printf(" %11.9f", report->worst_ulp);
  } else {
    std::printf(" %11s", "-");
  }
  if (target.name == std::string(kReferenceName)) {
    std::printf(" %11s %8s %9s", "-", "all", "-");
  } else {
    std::printf(" %11zu %8zu %9zu", report->tally.direct, report->tally.recomputed, report->tally.undecided);
  }
  std::printf("  %016" PRIx64 "\n", report->digest.value());
}

void PrintHead(const Plan& plan) {
  if (!plan.compare) std::puts("Built without MPFR: only the digests are checked.");
  if (plan.compare && !kHaveOracle) {
    std::printf("Built without MPFR, and some digest is wrong: all targets are compared with %s.\n",
                kReferenceName);
  }
  if (!plan.more_cases.empty()) {
    std::printf("%s, which is slow, takes one chunk of %zu rows in %zu beyond the digest cases.\n",
                kReferenceName, kChunkRows, kReferenceThinning);
  }
  std::printf("%-10s %14s %10s %11s %11s %8s %9s  digest\n", "target", "entries", "mismatches", "worst ULP",
              "direct", "wide", "undecided");
}

void Print(const Area& area, const AreaReport& report) {
  std::printf("\n%s\n", area.name.c_str());
  for (const Count& count : report.counts) {
    const internal::Tally& tally = count.tally;
    std::printf("%-10s %-7s %-4s %14" PRIu64 " %10" PRIu64 " %11zu %8zu %9zu %8.1f s\n", count.target.c_str(),
                count.as_list ? "WriteAt" : "Write", Name(count.format), count.entries, count.mismatches,
                tally.direct, tally.recomputed, tally.undecided, count.seconds);
  }
}

void PrintMismatches(const Report& report) {
  for (const Example& example : report.examples) std::printf("mismatch: %s\n", example.text.c_str());
  const char* target = report.target.c_str();
  if (report.mismatches > report.examples.size()) {
    std::printf("mismatch: %s: %" PRIu64 " more\n", target, report.mismatches - report.examples.size());
  }
  if (report.tally.undecided != 0) {
    std::printf("mismatch: %s: %zu entries rounded without proof\n", target, report.tally.undecided);
  }
  for (std::size_t v = 0; v < kDigestVersion; ++v) {
    if (report.digests[v] == kGoldenDigests[v]) continue;
    std::printf("mismatch: %s: digest v%zu %016" PRIx64 " instead of %016" PRIx64 "\n", target, v + 1,
                report.digests[v], kGoldenDigests[v]);
  }
}

void PrintCases(const Plan& plan, const Outcome& outcome) {
  PrintHead(plan);
  std::size_t next = 0;
  for (const Target& target : outcome.targets) {
    Print(target, target.runnable ? &outcome.reports[next++] : nullptr);
  }
  for (const Report& report : outcome.reports) {
    if (!IsRight(report)) PrintMismatches(report);
  }
}

void PrintAreas(const Outcome& outcome) {
  const Exhaustion& plan = outcome.exhaustion;
  if (plan.areas.empty()) return;
  std::printf("\nPart %zu of %zu; seed of random runs %" PRIu64 "; %s takes one chunk in %zu.\n",
              plan.part + 1, plan.parts, outcome.seed, kReferenceName, plan.reference_every);
  for (std::size_t a = 0; a < plan.areas.size(); ++a) {
    Print(plan.areas[a], outcome.area_reports[a]);
    for (const Example& example : outcome.area_reports[a].examples) {
      std::printf("mismatch: %s\n", example.text.c_str());
    }
  }
}

ExitStatus VerifyTargets(const Request& request) {
  if (!request.json.empty() && !kHaveJson) throw UsageError("--json: built without nlohmann-json");
  if (request.full && !kHaveOracle) throw UsageError("--full: built without MPFR, nothing to compare with");
  std::unique_ptr<OutputFile> json;  // before all else: who cannot write it need not wait
  if (!request.json.empty()) json = std::make_unique<OutputFile>("--json", request.json);
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome;
  outcome.targets = request.target.empty() ? CompiledTargets()
                                           : std::vector<Target>{FindTarget("--target", request.target)};
  outcome.seed = request.seed;
  Plan plan = MakePlan(request, outcome.targets);
  outcome.reports = Verify(plan);
  if (!plan.compare && !std::all_of(outcome.reports.begin(), outcome.reports.end(),
                                    [](const Report& r) { return IsRight(r); })) {
    plan.compare = true;  // to name the entries
    outcome.reports = Verify(plan);
  }
  PrintCases(plan, outcome);
  outcome.exhaustion = MakeExhaustion(request, outcome.targets);
#ifdef POSENC_HAVE_MPFR
  outcome.area_reports = Exhaust(outcome.exhaustion);
#endif
  PrintAreas(outcome);
  outcome.right = std::all_of(outcome.reports.begin(), outcome.reports.end(),
                              [](const Report& r) { return IsRight(r); }) &&
                  std::all_of(outcome.area_reports.begin(), outcome.area_reports.end(),
                              [](const AreaReport& r) { return IsRight(r); });
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
#ifdef POSENC_HAVE_JSON
  if (json != nullptr) WriteJson(outcome, json.get());
#endif
  std::printf("digest v%zu %016" PRIx64 "\n", kDigestVersion, outcome.reports.front().digest.value());
  return outcome.right ? kRight : kMismatch;
}

void ParsePart(const std::string& text, Request* request) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) Refuse("--part", text, "I/N, for example 1/8");
  request->part = ParseCount("--part", text.substr(0, slash));
  request->parts = ParseCount("--part", text.substr(slash + 1));
  if (request->part < 1 || request->part > request->parts) Refuse("--part", text, "I/N with 1 <= I <= N");
}

std::size_t ParsePositive(const std::string& option, const std::string& text) {
  const std::size_t value = ParseCount(option, text);
  if (value == 0) Refuse(option, text, "1 or more");
  return value;
}

void AddFullOptions(CLI::App& app, Request* request) {
  const auto add = [&](const char* name, const char* type, const char* help, auto parse) {
    AddOption(app, name, type, help, parse)->needs(app.get_option("--full"));
  };
  add("--part", "I/N", "Only the I-th of N parts of --full; tools/sum-reports sums their JSON files [1/1]",
      [=](const std::string& text) { ParsePart(text, request); });
  add("--reference-every", "N", "REFERENCE, which is slow, takes one chunk in N [32]",
      [=](const std::string& text) { request->reference_every = ParsePositive("--reference-every", text); });
  add("--seed", "S", "Of the random runs around 0, 2^24 and 2^31 [20260101]",
      [=](const std::string& text) { request->seed = ParseCount("--seed", text); });
}

}  // namespace

void AddVerifyCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("verify", "Compare every target that this CPU runs with MPFR");
  command->footer(
      "Every entry is compared, and the last line is a digest of the outputs, the same on every machine, in\n"
      "every mode. Without --quick and --full: the digest's cases and whole tables of usual sizes.\n"
      "Columns: pairs of entries that the rounding test sent from rotation to the direct kernel, and on to\n"
      "wide arithmetic, and entries that even this could not decide.");
  const auto request = std::make_shared<Request>();
  CLI::Option* quick = command->add_flag("--quick", request->quick, "Only the digest's cases (seconds)");
  command
      ->add_flag("--full", request->full,
                 "Also every position of the everyday domain, in all types, as runs and lists (half an hour)")
      ->excludes(quick);
  command->add_option("--target", request->target, "Only this target, a name from 'posenc targets' [all]")
      ->type_name("NAME");
  command->add_option("--json", request->json, "Also write a report to this file")->type_name("FILE");
  AddOption(*command, "--threads", "N", "Threads that compare [as many as there are processors]",
            [=](const std::string& text) {
              request->threads = static_cast<unsigned>(ParsePositive("--threads", text));
            });
  AddFullOptions(*command, request.get());
  command->callback([=] { *run = [=] { return VerifyTargets(*request); }; });
}

}  // namespace tools
}  // namespace posenc
