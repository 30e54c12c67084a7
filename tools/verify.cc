#include "verify.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "call_on_elements.h"
#include "options.h"
#include "tally.h"
#include "verify_judge.h"

namespace posenc {
namespace tools {
namespace {

// Writes or adds rows [row, row + rows) of the case.
void RunCase(const Case& c, const Encoder& encoder, std::size_t row, std::size_t rows, float* values) {
  const std::size_t dim = c.spec.dim;
  if (c.add) {
    for (std::size_t i = 0; i < rows * dim; ++i) values[i] = AddInput(c.format, row + i / dim, i % dim);
  }
  std::vector<std::int64_t> positions;
  for (std::size_t r = row; r < row + rows; ++r) positions.push_back(c.Position(r));
  Require(CallOnElements(c.format, values, rows * dim, [&](auto* x) {
    if (c.step == 1) {
      return c.add ? encoder.Add(positions[0], rows, x, dim, c.scale)
                   : encoder.Write(positions[0], rows, x, dim);
    }
    return c.add ? encoder.AddAt(positions.data(), rows, x, dim, c.scale)
                 : encoder.WriteAt(positions.data(), rows, x, dim);
  }));
}

void Merge(const Report& part, Report* whole) {
  whole->entries += part.entries;
  whole->mismatches += part.mismatches;
  whole->tally.direct += part.tally.direct;
  whole->tally.recomputed += part.tally.recomputed;
  whole->tally.undecided += part.tally.undecided;
  whole->worst_ulp = std::max(whole->worst_ulp, part.worst_ulp);
  for (const std::string& example : part.examples) {
    if (whole->examples.size() < Report::kMaxExamples) whole->examples.push_back(example);
  }
}

// One case on all targets: threads take chunks of rows, and the oracle's work on a chunk serves all.
class CaseRun {
 public:
  CaseRun(const Plan& plan, const Case& c, bool digest, std::vector<Report>* reports)
      : plan_(plan),
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
      if (case_.format == oracle::Format::kFloat32) reports_[t].digest_v1 = reports_[t].digest;
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
    const Expected expected = judge_.Expect(row, rows);
    std::vector<float> got(rows * dim);
    for (std::size_t t = 0; t < encoders_.size(); ++t) {
      if (!digest_ && plan_.targets[t] == kReferenceName && chunk % kReferenceThinning != 0) continue;
      RunCase(case_, encoders_[t], row, rows, got.data());
      Report part = judge_.Compare(expected, plan_.targets[t], row, rows, got.data());
      if (!case_.add && plan_.targets[t] != kReferenceName)
        part.tally = CountTiers(case_, encoders_[t], row, rows);
      if (digest_)
        std::copy(got.begin(), got.end(), outputs_[t].begin() + static_cast<std::ptrdiff_t>(row * dim));
      const std::lock_guard<std::mutex> lock(mutex_);
      Merge(part, &reports_[t]);
    }
  }

  const Plan& plan_;
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

void Digest::Append(oracle::Format format, const float* values, std::size_t count) {
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i < count; ++i) oracle::AppendBytes(format, values[i], &bytes);
  for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3u;
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
  for (const Case& c : plan.digest_cases) CaseRun(plan, c, true, &reports).Run(done);
  for (const Case& c : plan.more_cases) CaseRun(plan, c, false, &reports).Run(done);
  return reports;
}

}  // namespace tools
}  // namespace posenc
