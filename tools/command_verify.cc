// posenc verify: proves every target of this machine right, and prints a digest to compare with others.
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "commands.h"
#include "golden_digest.h"
#include "options.h"
#include "posenc/accuracy.h"
#include "posenc/posenc.h"
#include "verify.h"

namespace posenc {
namespace tools {
namespace {

struct Request {
  bool quick = false, full = false;
  std::string target;
};

void ShowProgress(double fraction) {
  static int shown = -1;
  const int percent = static_cast<int>(100.0 * fraction);
  if (percent == shown) return;
  shown = percent;
  std::fprintf(stderr, "\rverify: %d %%%s", percent, percent == 100 ? "\r              \r" : "");
}

Plan MakePlan(const Request& request, const std::vector<Target>& targets) {
  Plan plan;
  plan.digest_cases = DigestCases();
  if (kHaveOracle && !request.quick) plan.more_cases = TableCases();
  if (kHaveOracle && request.full) {
    const std::vector<Case> exhaustive = ExhaustiveCases();
    plan.more_cases.insert(plan.more_cases.end(), exhaustive.begin(), exhaustive.end());
  }
  for (const Target& target : targets) {
    if (target.runnable) plan.targets.push_back(target.name);
  }
  plan.threads = std::max(1u, std::thread::hardware_concurrency());
  plan.progress = isatty(STDERR_FILENO) != 0 ? ShowProgress : [](double) {};
  return plan;
}

bool HasGoldenDigests(const Report& report) {
  return report.digest.value() == kGoldenDigest && report.digest_v1.value() == kGoldenDigestV1;
}

bool IsRight(const Report& report) {
  return report.mismatches == 0 && report.worst_ulp <= kMaxUlp && report.tally.undecided == 0 &&
         HasGoldenDigests(report);
}

void Print(const Target& target, const Report* report) {
  std::printf("%-10s", target.name);
  if (report == nullptr) {
    std::puts(" skipped: this CPU cannot run it");
    return;
  }
  if (kHaveOracle) {
    std::printf(" %14" PRIu64 " %10" PRIu64 " %11.9f", report->entries, report->mismatches,
                report->worst_ulp);
  }
  if (target.name == std::string(kReferenceName)) {
    std::printf(" %11s %8s %9s", "-", "all", "-");
  } else {
    std::printf(" %11zu %8zu %9zu", report->tally.direct, report->tally.recomputed, report->tally.undecided);
  }
  std::printf("  %016" PRIx64 "\n", report->digest.value());
}

void PrintHead(const Plan& plan) {
  if (!kHaveOracle) std::puts("Built without MPFR: only the digests are checked.");
  if (!plan.more_cases.empty()) {
    std::printf("%s, which is slow, takes one chunk of %zu rows in %zu beyond the digest cases.\n",
                kReferenceName, kChunkRows, kReferenceThinning);
  }
  std::printf("%-10s", "target");
  if (kHaveOracle) std::printf(" %14s %10s %11s", "entries", "mismatches", "worst ULP");
  std::printf(" %11s %8s %9s  digest\n", "direct", "wide", "undecided");
}

void PrintMismatches(const Report& report) {
  for (const std::string& example : report.examples) std::printf("mismatch: %s\n", example.c_str());
  const char* target = report.target.c_str();
  if (report.mismatches > report.examples.size()) {
    std::printf("mismatch: %s: %" PRIu64 " more\n", target, report.mismatches - report.examples.size());
  }
  if (report.tally.undecided != 0) {
    std::printf("mismatch: %s: %zu entries rounded without proof\n", target, report.tally.undecided);
  }
  if (!HasGoldenDigests(report)) {
    std::printf("mismatch: %s: digests v1 %016" PRIx64 ", v%d %016" PRIx64 " instead of %016" PRIx64
                ", %016" PRIx64 "\n",
                target, report.digest_v1.value(), kDigestVersion, report.digest.value(), kGoldenDigestV1,
                kGoldenDigest);
  }
}

ExitStatus VerifyTargets(const Request& request) {
  const std::vector<Target> targets = request.target.empty()
                                          ? CompiledTargets()
                                          : std::vector<Target>{FindTarget("--target", request.target)};
  const Plan plan = MakePlan(request, targets);
  const std::vector<Report> reports = Verify(plan);
  PrintHead(plan);
  std::size_t next = 0;
  for (const Target& target : targets) Print(target, target.runnable ? &reports[next++] : nullptr);

  ExitStatus status = kRight;
  for (const Report& report : reports) {
    if (IsRight(report)) continue;
    status = kMismatch;
    PrintMismatches(report);
  }
  std::printf("digest v%d %016" PRIx64 "\n", kDigestVersion, reports.front().digest.value());
  return status;
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
                 "Also every position below 2^20 for dim 1024 and six bases (minutes)")
      ->excludes(quick);
  command->add_option("--target", request->target, "Only this target, a name from 'posenc targets' [all]")
      ->type_name("NAME");
  command->callback([=] { *run = [=] { return VerifyTargets(*request); }; });
}

}  // namespace tools
}  // namespace posenc
