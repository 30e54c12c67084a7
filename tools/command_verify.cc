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

bool IsRight(const Report& report) {
  return report.mismatches == 0 && report.worst_ulp <= kMaxUlp && report.digest.value() == kGoldenDigest;
}

void Print(const Target& target, const Report* report) {
  if (report == nullptr) {
    std::printf("%-12s skipped: this CPU cannot run it\n", target.name);
  } else if (kHaveOracle) {
    std::printf("%-12s %14" PRIu64 " %11" PRIu64 "   %.9f   %016" PRIx64 "\n", target.name, report->entries,
                report->mismatches, report->worst_ulp, report->digest.value());
  } else {
    std::printf("%-12s %016" PRIx64 "\n", target.name, report->digest.value());
  }
}

void PrintHead(const Plan& plan) {
  if (!kHaveOracle) {
    std::puts("Built without MPFR: only the digests are checked.");
    std::printf("%-12s digest\n", "target");
    return;
  }
  if (!plan.more_cases.empty()) {
    std::printf("%s, which is slow, takes one chunk of %zu rows in %zu beyond the digest cases.\n",
                kReferenceName, kChunkRows, kReferenceThinning);
  }
  std::printf("%-12s %14s %11s     worst ULP   digest\n", "target", "entries", "mismatches");
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
    for (const std::string& example : report.examples) std::printf("mismatch: %s\n", example.c_str());
    if (report.mismatches > report.examples.size()) {
      std::printf("mismatch: %s: %" PRIu64 " more\n", report.target.c_str(),
                  report.mismatches - report.examples.size());
    }
    if (report.digest.value() != kGoldenDigest) {
      std::printf("mismatch: %s: digest %016" PRIx64 " instead of %016" PRIx64 "\n", report.target.c_str(),
                  report.digest.value(), kGoldenDigest);
    }
  }
  std::printf("digest v%d %016" PRIx64 "\n", kDigestVersion, reports.front().digest.value());
  return status;
}

}  // namespace

void AddVerifyCommand(CLI::App& app, Run* run) {
  CLI::App* command = app.add_subcommand("verify", "Compare every target that this CPU runs with MPFR");
  command->footer(
      "Every entry is compared, and the last line is a digest of the outputs, the same on every machine and "
      "in\n"
      "every mode. Without --quick and --full: the digest's cases and whole tables of usual sizes.");
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
