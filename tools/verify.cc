#include "verify.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>

#include "options.h"
#include "tally.h"
#include "verify_doubles.h"
#include "verify_judge.h"

namespace posenc {
namespace tools {
namespace {

void Merge(const Report& part, Report* whole) {
  whole->entries += part.entries;
  whole->mismatches += part.mismatches;
  Accumulate(part.tally, &whole->tally);
  whole->worst_ulp = std::max(whole->worst_ulp, part.worst_ulp);
  whole->distances.Merge(part.distances);
  MergeExamples(part.examples, &whole->examples);
}

// One case on all targets: threads take chunks of rows, and the oracle's work on a chunk serves all.
class CaseRun {
 public:
  CaseRun(const Plan& plan, std::size_t number, const Case& c, bool digest, std::vector<Report>* reports)
      : plan_(plan),
        number_(number),
        case_(c),
        digest_(digest),
        reports_(*reports),
        judge_(c),
        encoders_(plan.targets.size()) {
    for (std::size_t t = 0; t < plan.targets.size(); ++t) {
      Spec spec = c.spec;
      spec.target = plan.targets[t].c_str();
      Require(Encoder::Create(spec, &encoders_[t]));
    }
    chunk_rows_ = std::min(kChunkRows, c.rows / plan.threads + 1);
    if (digest) outputs_.assign(encoders_.size(), std::vector<float>(c.rows * c.spec.dim));
  }

  // Calls done(entries) after every chunk.
  void Run(const std::function<void(std::size_t)>& done) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < plan_.threads; ++i) threads.emplace_back([&] { TakeChunks(done); });
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
    for (std::size_t t = 0; t < outputs_.size(); ++t) {
      reports_[t].digest.Append(case_.format, outputs_[t].data(), outputs_[t].size());
      if (case_.format == oracle::Format::kFloat32) reports_[t].digests[0] = reports_[t].digest.value();
    }
  }

 private:
  void TakeChunks(const std::function<void(std::size_t)>& done) {
    try {
      for (;;) {
        const std::size_t chunk = next_chunk_++;
        const std::size_t row = chunk * chunk_rows_;
        if (row >= case_.rows) return;
        const std::size_t rows = std::min(chunk_rows_, case_.rows - row);
        RunChunk(chunk, row, rows);
        const std::lock_guard<std::mutex> lock(mutex_);
        done(rows * case_.spec.dim);
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      error_ = std::current_exception();
    }
  }

  void RunChunk(std::size_t chunk, std::size_t row, std::size_t rows) {
    const std::size_t dim = case_.spec.dim;
    const Expected expected = plan_.compare ? judge_.Expect(row, rows) : Expected();
    std::vector<float> got(rows * dim), scratch(rows * dim);
    for (std::size_t t = 0; t < encoders_.size(); ++t) {
      if (!digest_ && plan_.targets[t] == kReferenceName && chunk % kReferenceThinning != 0) continue;
      RunCase(case_, encoders_[t], row, rows, got.data());
      Report part;
      if (plan_.compare) part = judge_.Compare(expected, plan_.targets[t], row, rows, got.data());
      for (Example& example : part.examples) example.case_number = number_;
      if (!case_.add && plan_.targets[t] != kReferenceName) {
        part.tally = WriteAndCount(encoders_[t], case_.format, case_.Position(row), case_.step,
                                   case_.step != 1, rows, scratch.data());
      }
      if (digest_)
        std::copy(got.begin(), got.end(), outputs_[t].begin() + static_cast<std::ptrdiff_t>(row * dim));
      const std::lock_guard<std::mutex> lock(mutex_);
      Merge(part, &reports_[t]);
    }
  }

  const Plan& plan_;
  const std::size_t number_;
  const Case& case_;
  const bool digest_;
  std::vector<Report>& reports_;
  const Judge judge_;
  std::vector<Encoder> encoders_;            // [targets]
  std::vector<std::vector<float>> outputs_;  // [targets][rows * dim] of a digest case
  std::size_t chunk_rows_;
  std::atomic<std::size_t> next_chunk_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

std::size_t Entries(const std::vector<Case>& cases) {
  std::size_t entries = 0;
  for (const Case& c : cases) entries += c.rows * c.spec.dim;
  return entries;
}

}  // namespace

void MergeExamples(const std::vector<Example>& part, std::vector<Example>* whole) {
  whole->insert(whole->end(), part.begin(), part.end());
  std::sort(whole->begin(), whole->end(), [](const Example& a, const Example& b) {
    return std::tie(a.case_number, a.row, a.column) < std::tie(b.case_number, b.row, b.column);
  });
  if (whole->size() > kMaxExamples) whole->resize(kMaxExamples);
}

void Digest::Append(oracle::Format format, const float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    AppendBytes(oracle::Pack(format, values[i]), format == oracle::Format::kFloat32 ? 4 : 2);
  }
}

void Digest::AppendBytes(std::uint64_t bits, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; ++k, bits >>= 8) value_ = (value_ ^ (bits & 0xFF)) * 0x100000001b3u;
}

std::vector<Report> Verify(const Plan& plan) {
  std::vector<Report> reports(plan.targets.size());
  for (std::size_t t = 0; t < reports.size(); ++t) reports[t].target = plan.targets[t];
  const std::size_t all = Entries(plan.digest_cases) + Entries(plan.more_cases);
  std::size_t finished = 0;
  const auto done = [&](std::size_t entries) {
    finished += entries;
    plan.progress(static_cast<double>(finished) / static_cast<double>(all));
  };
  std::size_t number = 0;
  for (const Case& c : plan.digest_cases) CaseRun(plan, number++, c, true, &reports).Run(done);
  for (Report& report : reports) report.digests[1] = report.digest.value();
  for (const Case& c : plan.more_cases) CaseRun(plan, number++, c, false, &reports).Run(done);
  VerifyDoubles(plan, &reports);
  return reports;
}

}  // namespace tools
}  // namespace posenc
