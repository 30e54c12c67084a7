#include "number/exact.h"

#include "verify/trial.h"

#include <cstdio>

#include "api/handle.h"
#include "call/call.h"
#include "call/rotary.h"
#include "verify/describe.h"

namespace posenc {
namespace tools {
namespace {

// Writes the rows by the library's internal walker of rows, tokens or caches, which also counts what the
// rounding test sent to slower methods.
void Walk(const Case& as, const Handle& handle, Calls* calls, Written* written) {
  const auto walk = [&](const Calls::Arguments& a) {
    const internal::List list(a.list);
    if (!as.is_rotary()) {
      return internal::WalkRows({handle.encoder()->encoder, a.out.type}, a.first, list, a.rows,
                                {a.out.data, a.out.stride});
    }
    const internal::Rotary& rotary = handle.rotary()->rotary;
    const internal::TokenPositions tokens{a.first, list, as.rotary.axes, a.rows};
    if (as.operation == Operation::kWriteCache) return internal::WalkCache(rotary, tokens, a.cache);
    return internal::WalkTokens(rotary, tokens, {a.heads, 2});
  };
  calls->With(
      as, [&](const Calls::Arguments& a) { written->tally = walk(a); }, &written->entries, &written->seconds);
}

}  // namespace

Trial::Trial(const Case& c, bool is_area, const std::vector<std::string>& targets)
    : is_area_(is_area),
      ways_(WaysOf(c, is_area)),
      calls_(c),
      judge_(c, is_area, &calls_),
      targets_(targets) {
  for (const std::string& target : targets) {
    handles_.emplace_back(ways_.front().as, target.c_str());
    if (is_area && c.operation == Operation::kRotate) neighbours_.emplace_back(ways_[1].as, target.c_str());
  }
}

const Handle& Trial::HandleOf(std::size_t target, const Way& way) const {
  const bool is_neighbours = !neighbours_.empty() && way.as.rotary.pairing == POSENC_NEIGHBOURS;
  return (is_neighbours ? neighbours_ : handles_)[target];
}

bool Trial::Write(std::size_t target, const Way& way, Written* written) {
  const Handle& handle = HandleOf(target, way);
  if (is_area_) {
    if (!IsWritten(way.as, calls_.row())) return false;
    const bool is_list_of_encodings = !way.as.is_rotary() && way.as.list != 0;
    if (is_list_of_encodings && !handle.encoder()->encoder.table.has_offsets)
      return false;  // lists use the same code as runs
    Walk(way.as, handle, &calls_, written);
    return true;
  }
  calls_.Call(way.as, handle, &written->entries, &written->seconds);
  const Operation operation = way.as.operation;
  if (operation == Operation::kAdd || operation == Operation::kRotateCached) return true;
  if (targets_[target] == kReferenceName) return true;
  Written again;
  Walk(way.as, handle, &calls_, &again);
  written->tally = again.tally;
  return true;
}

std::string Trial::Explain(const Way& way, std::size_t row, std::size_t column, std::uint64_t got,
                           std::uint64_t expected) {
  std::string text = (is_area_ ? std::string(way.call) + " " : "") + way.as.label + ", position";
  char number[64];
  for (std::size_t k = 0; k < way.as.axes(); ++k) {
    std::snprintf(number, sizeof(number), " %.17g", way.as.Position(k, row));
    text += number;
  }
  const posenc_type type = way.as.type;
  return text + ", column " + std::to_string(column) + ": got " + ShowEntry(type, got) + ", expected " +
         ShowEntry(type, expected) + "; " + judge_.Exact(way.as, row, column);
}

}  // namespace tools
}  // namespace posenc
