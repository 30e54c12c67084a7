#include "number/exact.h"

#include "verify/cases.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "verify/row_groups.h"
#include "verify/rows.h"
#include "verify/worst_cases.h"

namespace posenc {
namespace tools {
namespace {

using Cases = std::vector<Case>;

std::vector<Group> GroupsOf(const std::vector<RowGroup>& all) {
  std::vector<Group> groups;
  for (const RowGroup& rows : all) {
    AppendRows(rows.rows, rows.seed, &groups.emplace_back(Group{rows.name, {}}).cases);
  }
  return groups;
}

constexpr std::pair<const char*, posenc_type> kTypes[] = {
    {"f32", POSENC_F32}, {"bf16", POSENC_BF16}, {"f16", POSENC_F16}, {"f64", POSENC_F64}};

void LabelNumber(const char* key, double number, Case* c) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", number);
  c->Label(key, text);
}

void LabelPosition(double position, Case* c) {
  char text[32];
  std::snprintf(text, sizeof(text), "f64:%.17g", position);
  c->Label("at", text);
}

// A case with this angle. The frequency is the only listed one, or the frequency of pair 1 with a base. If
// the case is a run, the position is in the middle.
Case EncodingOf(const HardAngle& angle, bool listed, bool run) {
  Case c;
  c.encoder.dim = listed ? 2 : 4;
  c.Label("dim", std::to_string(c.encoder.dim));
  c.encoder.position_scale = angle.scale;
  LabelNumber("position_scale", angle.scale, &c);
  if (listed) {
    c.encoder.frequencies = &angle.frequency;
    c.encoder.frequency_count = 1;
    LabelNumber("frequencies", angle.frequency, &c);
  } else {
    c.encoder.exponent_dim = -2.0;
    c.encoder.base = angle.frequency;
    LabelNumber("exponent_dim", -2.0, &c);
    LabelNumber("base", angle.frequency, &c);
  }
  c.rows = run ? 5 : 1;
  if (run) {
    c.first = static_cast<std::int64_t>(angle.position) - 2;
    c.Label("at", std::to_string(c.first) + ".." + std::to_string(c.first + 4));
  } else {
    c.list = POSENC_F64;
    c.positions = {angle.position};
    LabelPosition(angle.position, &c);
  }
  return c;
}

// Appends all hard angles as listed frequencies, and some of each kind also with a base or as a run.
void AppendHardEncodings(Cases* cases) {
  static const std::vector<HardAngle> angles = HardAngles(), reported = ReportedAngles();
  const auto append = [&](const HardAngle& angle, bool listed, bool run) {
    Case c = EncodingOf(angle, listed, run);
    for (const auto& [word, type] : kTypes) {
      c.type = type;
      c.Label("type", word);
      cases->push_back(c);
    }
  };
  std::size_t integers = 0;
  for (std::size_t n = 0; n < angles.size(); ++n) {
    append(angles[n], true, false);
    if (n % 4 == 0) append(angles[n], false, false);
    if (!angles[n].is_integer) continue;
    ++integers;
    if (integers % 4 == 0) append(angles[n], integers % 8 == 0, true);
  }
  for (std::size_t n = 0; n < reported.size(); ++n) {
    append(reported[n], n == 0, false);
    if (reported[n].is_integer) append(reported[n], n == 0, true);
  }
}

// Appends every third hard angle as a rotation of 20 heads with a single pair, and as a cache.
void AppendHardRotations(std::uint32_t seed, Cases* cases) {
  static const std::vector<HardAngle> angles = HardAngles();
  for (std::size_t n = 0; n < angles.size(); n += 3) {
    Case c;
    c.operation = Operation::kRotate;
    c.Label("operation", "rotate");
    c.rotary.head_dim = 2;
    c.Label("head_dim", "2");
    c.rotary.frequencies = &angles[n].frequency;
    c.rotary.frequency_count = 1;
    LabelNumber("frequencies", angles[n].frequency, &c);
    c.rotary.position_scale = angles[n].scale;
    LabelNumber("position_scale", angles[n].scale, &c);
    c.q_heads = 20;
    c.Label("q_heads", "20");
    c.rows = 1;
    c.list = POSENC_F64;
    c.positions = {angles[n].position};
    LabelPosition(angles[n].position, &c);
    for (const auto& [word, type] : kTypes) {
      c.type = type;
      c.Label("type", word);
      c.seed = seed++;
      c.Label("seed", std::to_string(c.seed));
      if (type == POSENC_F64) {
        c.operation = Operation::kWriteCache;
        c.Label("operation", "cache");
      }
      cases->push_back(c);
    }
  }
}

}  // namespace

std::vector<Group> DigestGroups() {
  constexpr std::uint32_t kHardSeed = 513;  // labels have seeds, and must stay as they are
  std::vector<Group> groups = GroupsOf(EncodingRows());
  AppendHardEncodings(&groups.emplace_back(Group{"HardEncodings", {}}).cases);
  for (Group& group : GroupsOf(RotaryRows())) groups.push_back(std::move(group));
  AppendHardRotations(kHardSeed, &groups.emplace_back(Group{"HardRotations", {}}).cases);
  for (Group& group : GroupsOf(NormRows())) groups.push_back(std::move(group));
  return groups;
}

std::vector<Group> TableGroups() { return GroupsOf(TableRows()); }

std::vector<Case> CasesOf(std::vector<Group> groups) {
  Cases cases;
  for (Group& group : groups) {
    std::move(group.cases.begin(), group.cases.end(), std::back_inserter(cases));
  }
  return cases;
}

std::vector<Case> DigestCases() { return CasesOf(DigestGroups()); }

std::vector<Case> TableCases() { return CasesOf(TableGroups()); }

}  // namespace tools
}  // namespace posenc
