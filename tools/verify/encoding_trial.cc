#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <utility>

#include "api/handle.h"
#include "command/specs.h"
#include "command/require.h"
#include "oracle/format.h"
#include "verify/encoding_case.h"
#include "verify/findings.h"
#include "verify/thread_seconds.h"
#ifdef POSENC_HAVE_MPFR
#include "oracle/oracle.h"
#endif

namespace posenc {
namespace tools {
namespace {

std::vector<Encoder> MakeEncoders(Spec spec, const std::vector<std::string>& targets) {
  std::vector<Encoder> encoders(targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    spec.target = targets[t].c_str();
    Require(Encoder::Create(spec, &encoders[t]));
  }
  return encoders;
}

#ifdef POSENC_HAVE_MPFR

bool IsPosition(double p) { return std::fabs(p) <= 0x1p31; }  // no NaN is

// Knows what a case must give.
class Judge {
 public:
  // What is added to has been rounded to float32.
  explicit Judge(const EncodingCase& c) : case_(c), oracle_(c.spec, c.add ? POSENC_F32 : c.type) {}

  Answers Expect(std::size_t row, std::size_t rows) const {
    const std::size_t dim = case_.spec.dim;
    Answers answers{std::vector<Entries>(1), std::vector<oracle::Distances>(1)};
    std::vector<double> values(rows * dim);
    if (case_.list == 0) {
      const auto first = static_cast<std::int64_t>(case_.Position(row));
      answers.distances[0] = oracle_.Rows(first, rows, values.data());
    } else {
      for (std::size_t r = 0; r < rows; ++r) ExpectRow(case_.Position(row + r), &values[r * dim]);
    }
    if (case_.add) {
      answers.distances[0] = {};
      for (std::size_t i = 0; i < rows * dim; ++i) {
        values[i] = Sum(AddInput(case_, row + i / dim, i % dim), values[i]);
      }
    }
    Entries& entries = answers.entries[0];
    entries.Reset(case_.type, rows * dim);
    for (std::size_t i = 0; i < rows * dim; ++i) entries.Set(i, oracle::Pack(case_.type, values[i]));
    return answers;
  }

  // In each of kSharedTypes.
  Answers ExpectShared(std::size_t row, std::size_t rows) const {
    Answers answers;
    for (const posenc_type type : kSharedTypes) answers.entries.emplace_back(type, rows * case_.spec.dim);
    const auto data = [&](std::size_t k) { return answers.entries[k].data(); };
    const auto distances =
        oracle_.AllTables(static_cast<std::int64_t>(case_.Position(row)), rows,
                          {static_cast<std::uint32_t*>(data(0)), static_cast<std::uint16_t*>(data(1)),
                           static_cast<std::uint16_t*>(data(2))});
    answers.distances.assign(distances.begin(), distances.end());
    return answers;
  }

  // Of what is written; sums are not measured.
  double Ulp(posenc_type type, std::uint64_t got, std::size_t row, std::size_t column) const {
    if (case_.add) return 0.0;
    if (!IsPosition(case_.Position(row))) return std::numeric_limits<double>::infinity();
    const oracle::Oracle typed(case_.spec, type);
    return typed.Ulp(oracle::Unpack(type, got), case_.Position(row), column);
  }

  std::string Exact(std::size_t row, std::size_t column) const {
    return IsPosition(case_.Position(row)) ? oracle_.Exact(case_.Position(row), column) : "NaN";
  }

 private:
  void ExpectRow(double position, double* values) const {
    if (IsPosition(position)) return oracle_.Row(position, values);
    std::fill_n(values, case_.spec.dim, std::numeric_limits<double>::quiet_NaN());
  }

  double Sum(std::uint64_t input, double value) const {
    const auto x = static_cast<float>(oracle::Unpack(case_.type, input));
    const float product = x * case_.scale;
    const float sum = product + static_cast<float>(value);
    return oracle::RoundTo(case_.type, static_cast<double>(sum));
  }

  const EncodingCase& case_;
  oracle::Oracle oracle_;
};

#else

class Judge {
 public:
  explicit Judge(const EncodingCase& c)
      : case_(c), reference_(std::move(MakeEncoders(c.spec, {kReferenceName})[0])) {}

  Answers Expect(std::size_t row, std::size_t rows) const {
    Answers answers{std::vector<Entries>(1), std::vector<oracle::Distances>(1)};
    RunCase(case_, reference_, row, rows, &answers.entries[0]);
    return answers;
  }
  Answers ExpectShared(std::size_t, std::size_t) const { return {}; }
  double Ulp(posenc_type, std::uint64_t, std::size_t, std::size_t) const { return 0.0; }
  std::string Exact(std::size_t, std::size_t) const { return "unknown without MPFR"; }

 private:
  const EncodingCase& case_;
  Encoder reference_;
};

#endif

class EncodingTrial : public Trial {
 public:
  EncodingTrial(const EncodingCase& c, bool is_area, const std::vector<std::string>& targets)
      : case_(c), is_area_(is_area), judge_(c), encoders_(MakeEncoders(c.spec, targets)), targets_(targets) {}

  Answers Expect(std::size_t row, std::size_t rows) override {
    return is_area_ ? judge_.ExpectShared(row, rows) : judge_.Expect(row, rows);
  }

  bool Write(std::size_t target, const Way& way, std::size_t row, std::size_t rows,
             Written* written) override {
    const Encoder& encoder = encoders_[target];
    if (!is_area_) {
      const double start = ThreadSeconds();
      RunCase(case_, encoder, row, rows, &written->entries);
      written->seconds = ThreadSeconds() - start;
      if (case_.add || targets_[target] == kReferenceName) return true;
      Entries again(way.type, written->entries.count());
      written->tally = WalkCase(case_, encoder, row, rows, &again);
      return true;
    }
    EncodingCase as = case_;
    as.type = way.type;
    as.list = IsList(way) ? POSENC_F64 : 0;
    if (IsList(way) && !encoder.c_encoder()->encoder.table.has_offsets) return false;
    written->entries.Reset(way.type, rows * case_.spec.dim);
    const double start = ThreadSeconds();
    written->tally = WalkCase(as, encoder, row, rows, &written->entries);
    written->seconds = ThreadSeconds() - start;
    return true;
  }

  double Ulp(const Way& way, std::size_t row, std::size_t column, std::uint64_t got) override {
    return judge_.Ulp(way.type, got, row, column);
  }

  std::string Place(const Way& way, std::size_t row, std::size_t column) override {
    EncodingCase as = case_;
    as.type = way.type;
    if (is_area_) as.list = IsList(way) ? POSENC_F64 : 0;
    char place[64];
    std::snprintf(place, sizeof(place), ", position %.17g, column %zu", case_.Position(row), column);
    return Describe(as) + place;
  }

  std::string Exact(const Way& way, std::size_t row, std::size_t column) override {
    const std::string exact = judge_.Exact(row, column);
    if (!case_.add) return "exact " + exact;
    return "x " + ShowEntry(way.type, AddInput(case_, row, column)) + ", encoding " + exact;
  }

  static bool IsList(const Way& way) { return way.call == kWriteAt; }
  static constexpr char kWrite[] = "Write", kWriteAt[] = "WriteAt";

 private:
  const EncodingCase& case_;
  bool is_area_;
  Judge judge_;
  std::vector<Encoder> encoders_;  // [targets]
  std::vector<std::string> targets_;
};

class EncodingSubject : public Subject {
 public:
  EncodingSubject(const EncodingCase& c, bool is_area) : case_(c), is_area_(is_area) {}

  std::size_t rows() const override { return case_.rows; }
  std::size_t columns() const override { return case_.spec.dim; }
  std::size_t chunk_rows() const override { return is_area_ ? 4096 : 512; }

  std::vector<Way> ways() const override {
    if (!is_area_) return {{case_.type, EncodingTrial::kWrite, 0, 0}};
    std::vector<Way> ways;
    for (std::size_t k = 0; k < std::size(kSharedTypes); ++k) {
      ways.push_back({kSharedTypes[k], EncodingTrial::kWrite, k, k});
      ways.push_back({kSharedTypes[k], EncodingTrial::kWriteAt, k, k});
    }
    return ways;
  }

  std::string Describe() const override { return tools::Describe(case_.spec); }
  const char* EntryName(bool sine) const override { return sine ? "sine" : "cosine"; }

  std::unique_ptr<Trial> Start(const std::vector<std::string>& targets) const override {
    return std::make_unique<EncodingTrial>(case_, is_area_, targets);
  }

 private:
  EncodingCase case_;
  bool is_area_;
};

}  // namespace

std::string Describe(const EncodingCase& c) {
  std::string text = c.add ? "Add" : "Write";
  if (c.list != 0) text += "At";
  text.append(" ").append(TraitsOf(c.type).name).append(", ").append(Describe(c.spec));
  if (c.list == POSENC_F32) text += ", positions f32";
  if (c.spec.nan_rows) text += ", rows of NaN";
  if (c.spec.lists_only) text += ", lists only";
  if (c.add) text += ", scale " + Shortest(static_cast<double>(c.scale));
  return text;
}

std::shared_ptr<const Subject> SubjectOf(const EncodingCase& c) {
  return std::make_shared<EncodingSubject>(c, false);
}

std::shared_ptr<const Subject> AreaOf(const EncodingCase& run) {
  return std::make_shared<EncodingSubject>(run, true);
}

}  // namespace tools
}  // namespace posenc
