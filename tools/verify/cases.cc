#include "verify/cases.h"

#include <utility>

#include "verify/encoding_cases.h"
#include "verify/rotary_cases.h"

namespace posenc {
namespace tools {

Subjects DigestSubjects() {
  Subjects subjects;
  for (const EncodingCase& c : EncodingDigestCases()) subjects.push_back(SubjectOf(c));
  for (const RotaryCase& c : RotaryDigestCases()) subjects.push_back(SubjectOf(c));
  return subjects;
}

Subjects TableSubjects() {
  Subjects subjects;
  for (const EncodingCase& c : EncodingTableCases()) subjects.push_back(SubjectOf(c));
  for (const RotaryCase& c : RotaryTableCases()) subjects.push_back(SubjectOf(c));
  return subjects;
}

std::vector<Group> FullAreas(std::uint64_t seed) {
  std::vector<Group> areas = EncodingAreas(seed);
  for (Group& area : RotaryAreas(seed)) areas.push_back(std::move(area));
  return areas;
}

}  // namespace tools
}  // namespace posenc
