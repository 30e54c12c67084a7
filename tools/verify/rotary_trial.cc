#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include "command/specs.h"
#include "oracle/format.h"
#include "posenc/accuracy.h"
#include "verify/rotary_calls.h"
#include "verify/rotary_case.h"
#include "verify/rotary_judge.h"

namespace posenc {
namespace tools {
namespace {

constexpr char kHalves[] = "RotateHalves", kNeighbours[] = "RotateNeighbours";
constexpr char kRun[] = "WriteCache", kList[] = "WriteCacheAt";

// Of a cache: kSharedTypes first.
constexpr posenc_type kCacheTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64};
constexpr std::size_t kCacheRows = 1024;  // of a chunk

// So many of them: all in a seventh of the chunks, else only float32, since they round the same turns. (By
// seven also what REFERENCE and a part take has all of them.)
std::size_t CacheTypesAt(std::size_t row) { return row / kCacheRows % 7 == 0 ? std::size(kCacheTypes) : 1; }

posenc_pairing PairingOf(const Way& way) {
  return way.call == kNeighbours ? POSENC_NEIGHBOURS : POSENC_HALF_SPLIT;
}

posenc_pairing OutputPairing(const posenc_rotary_spec& spec) {
  return spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
}

class RotaryTrial : public Trial {
 public:
  RotaryTrial(const RotaryCase& c, bool is_area, const std::vector<std::string>& targets)
      : case_(c), is_area_(is_area), calls_(c), judge_(c, &calls_), targets_(targets) {
    for (const std::string& target : targets) {
      posenc_rotary_spec spec = c.spec;
      rotaries_.push_back(MakeRotary(spec, target.c_str()));
      if (!is_area || c.call == RotaryCall::kWriteCache) continue;
      spec.pairing = POSENC_NEIGHBOURS;
      neighbours_.push_back(MakeRotary(spec, target.c_str()));
    }
  }

  Answers Expect(std::size_t row, std::size_t rows) override {
    calls_.Prepare(row, rows);
    Answers answers;
    if (!is_area_) {
      answers.entries.resize(1);
      answers.distances.resize(1);
      judge_.Expect(OutputPairing(case_.spec), &answers.entries[0], &answers.distances[0]);
      return answers;
    }
    if (case_.call == RotaryCall::kWriteCache) {
      const std::size_t count = CacheTypesAt(row);
      answers.entries.resize(count);
      answers.distances.resize(count);
      judge_.ExpectCaches(kCacheTypes, count, answers.entries.data(), answers.distances.data());
      return answers;
    }
    std::vector<std::vector<InputPair>> rotated(std::size(kSharedTypes));
    answers.distances.resize(rotated.size());
    judge_.Rotate(kSharedTypes, rotated.size(), rotated.data(), answers.distances.data());
    for (std::size_t k = 0; k < rotated.size(); ++k) {
      for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
        calls_.Arrange(kSharedTypes[k], rotated[k], pairing, &answers.entries.emplace_back());
      }
    }
    return answers;
  }

  bool Write(std::size_t target, const Way& way, std::size_t row, std::size_t rows,
             Written* written) override {
    if (is_area_ && case_.call == RotaryCall::kWriteCache && way.answer >= CacheTypesAt(row)) return false;
    calls_.Prepare(row, rows);
    const bool is_neighbours = is_area_ && PairingOf(way) == POSENC_NEIGHBOURS;
    const posenc_rotary* rotary = (is_neighbours ? neighbours_ : rotaries_)[target].get();
    if (is_area_) {
      calls_.Walk(rotary, way.type, PairingOf(way), written);
      return true;
    }
    calls_.Call(rotary, written);
    if (targets_[target] == kReferenceName || case_.call == RotaryCall::kRotateCached) return true;
    Written again;
    calls_.Walk(rotary, case_.type, case_.spec.pairing, &again);
    written->tally = again.tally;
    return true;
  }

  double Ulp(const Way& way, std::size_t row, std::size_t column, std::uint64_t got) override {
    return judge_.Ulp(ElementAt(way, row, column), way.type, oracle::Unpack(way.type, got));
  }

  std::string Place(const Way& way, std::size_t row, std::size_t column) override {
    RotaryCase as = case_;
    as.type = way.type;
    if (is_area_) as.spec.pairing = PairingOf(way);
    std::string text = Describe(as) + ", position";
    char number[64];
    for (std::size_t k = 0; k < case_.spec.axes; ++k) {
      std::snprintf(number, sizeof(number), " %.17g", case_.Position(k, row));
      text += number;
    }
    std::snprintf(number, sizeof(number), ", column %zu", column);
    return text + number;
  }

  std::string Exact(const Way& way, std::size_t row, std::size_t column) override {
    return judge_.Exact(ElementAt(way, row, column), way.type);
  }

 private:
  RotaryElement ElementAt(const Way& way, std::size_t row, std::size_t column) const {
    return ElementOf(case_, is_area_ ? PairingOf(way) : OutputPairing(case_.spec), row, column);
  }

  const RotaryCase& case_;
  bool is_area_;
  RotaryCalls calls_;
  RotaryJudge judge_;
  std::vector<std::string> targets_;
  std::vector<RotaryPtr> rotaries_, neighbours_;  // [targets]
};

class RotarySubject : public Subject {
 public:
  RotarySubject(const RotaryCase& c, bool is_area) : case_(c), is_area_(is_area) {}

  std::size_t rows() const override { return case_.rows; }
  std::size_t columns() const override { return case_.columns(); }
  // Of areas of rotation eight, which share an anchor: a small part, too, then has chunks of every area.
  std::size_t chunk_rows() const override { return !is_area_ ? 32 : is_cache() ? kCacheRows : 8; }

  std::vector<Way> ways() const override {
    if (!is_area_) return {{case_.type, "Rotate", 0, 0}};
    std::vector<Way> ways;
    for (std::size_t k = 0; is_cache() && k < std::size(kCacheTypes); ++k) {
      ways.push_back({kCacheTypes[k], case_.list == 0 ? kRun : kList, k, k});
    }
    if (is_cache()) return ways;
    for (std::size_t k = 0; k < std::size(kSharedTypes); ++k) {
      ways.push_back({kSharedTypes[k], kHalves, 2 * k, k});
      ways.push_back({kSharedTypes[k], kNeighbours, 2 * k + 1, k});
    }
    return ways;
  }

  std::string Describe() const override { return tools::Describe(case_.spec); }
  const char* EntryName(bool sine) const override {
    return is_cache() ? (sine ? "sine" : "cosine") : (sine ? "y" : "x");
  }

  std::unique_ptr<Trial> Start(const std::vector<std::string>& targets) const override {
    return std::make_unique<RotaryTrial>(case_, is_area_, targets);
  }

 private:
  bool is_cache() const { return case_.call == RotaryCall::kWriteCache; }

  RotaryCase case_;
  bool is_area_;
};

}  // namespace

std::string Describe(const RotaryCase& c) {
  const char* const layouts[] = {"halves", "duplicated", "cos_sin", "pairs"};
  const bool is_cache = c.call == RotaryCall::kWriteCache, is_cached = c.call == RotaryCall::kRotateCached;
  std::string text = is_cache ? "WriteCache" : is_cached ? "RotateCached" : "Rotate";
  if (c.list != 0) text += "At";
  text.append(" ").append(TraitsOf(c.type).name).append(", ").append(Describe(c.spec));
  if (is_cache) return text + ", " + layouts[c.layout];
  if (is_cached) text.append(", a cache of ").append(TraitsOf(c.cache_type).name);
  if (c.scale != 1.0) text += ", scale " + Shortest(c.scale);
  if (c.inverse) text += ", back";
  if (!c.in_place) text += ", from a source";
  return text;
}

std::shared_ptr<const Subject> SubjectOf(const RotaryCase& c) {
  return std::make_shared<RotarySubject>(c, false);
}

std::shared_ptr<const Subject> AreaOf(const RotaryCase& c) {
  return std::make_shared<RotarySubject>(c, true);
}

}  // namespace tools
}  // namespace posenc
