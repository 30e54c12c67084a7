#include "number/exact.h"

#include "verify/worst_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "oracle/format.h"
#include "spec/text.h"
#include "verify/calls.h"
#include "verify/rows.h"

namespace posenc {
namespace tools {
namespace {

struct Line {
  bool is_group;
  const char* text;
};

#define GROUP(...) {true, #__VA_ARGS__},
#define WORST(...) {false, #__VA_ARGS__},
constexpr Line kLines[] = {
#include "verify/worst_cases.inc"
#include "verify/worst_norm_cases.inc"
};
#undef GROUP
#undef WORST

[[noreturn]] void Refuse(const std::string& line, const std::string& why) {
  std::fprintf(stderr, "worst_cases.inc: %s: %s\n", line.c_str(), why.c_str());
  std::abort();
}

// The words that a worst case has besides those of a row of cases.
class OwnWords {
 public:
  // Takes them out of `words`, the words of a line behind those of its group: if both have a word, the line's
  // counts.
  OwnWords(const internal::SpecWords& words, std::string* row) {
    std::map<std::string, std::string> all(words.begin(), words.end());
    for (const auto& [name, value] : words) all[name] = value;
    for (const auto& [name, value] : all) {
      if (name == "row" || name == "column" || name == "right" || name == "wrong" || name == "by" ||
          name == "from") {
        own_[name] = value;
      } else {
        row->append(row->empty() ? "" : " ").append(name).append("=").append(value);
      }
    }
  }

  std::string operator[](const char* name) const {
    const auto found = own_.find(name);
    return found == own_.end() ? "" : found->second;
  }

 private:
  std::map<std::string, std::string> own_;
};

WorstCase WorstCaseOf(const Line& group, const Line& line) {
  WorstCase worst;
  worst.text = std::string(line.text) + " " + group.text;
  internal::SpecWords words, own_words;
  std::string wrong = internal::SplitText(group.text, &words);
  if (wrong.empty()) wrong = internal::SplitText(line.text, &own_words);
  if (!wrong.empty()) Refuse(line.text, wrong);
  words.insert(words.end(), own_words.begin(), own_words.end());
  std::string row;
  const OwnWords own(words, &row);

  std::vector<Case> made;
  AppendRows({row.c_str()}, 0, &made);
  if (made.size() != 1) Refuse(line.text, "it is more than one case");
  worst.c = made[0];
  const auto count = [&](const char* name, std::size_t end) {
    std::size_t number = 0;
    if (!own[name].empty() && (!internal::ReadNumber(own[name], &number) || number >= end)) {
      Refuse(line.text, std::string(name) + " must be below " + std::to_string(end));
    }
    return number;
  };
  worst.row = count("row", worst.c.rows);
  worst.column = count("column", worst.c.columns());
  const auto bits = [&](const char* name) {
    double number = 0.0;
    if (!internal::ReadNumber(own[name], &number) || oracle::RoundTo(worst.c.type, number) != number) {
      Refuse(line.text, std::string(name) + " must be a number of the type");
    }
    return oracle::Pack(worst.c.type, number);
  };
  worst.right = bits("right");
  worst.wrong = bits("wrong");
  const std::string by = own["by"];
  for (std::size_t begin = 0, end = 0; begin < by.size(); begin = end + 1) {
    end = std::min(by.find(':', begin), by.size());
    worst.by.push_back(by.substr(begin, end - begin));
  }
  worst.from = own["from"];
  return worst;
}

std::string Show(posenc_type type, std::uint64_t bits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%a", oracle::Unpack(type, bits));
  return text;
}

std::vector<HardAngle> AnglesFrom(const char* from) {
  std::vector<HardAngle> angles;
  for (const WorstCase& worst : WorstCases()) {
    if (worst.from != from) continue;
    const posenc_spec& spec = worst.c.encoder;
    const double position = worst.c.Position(0, worst.row);
    angles.push_back({position, spec.position_scale,
                      spec.frequencies != nullptr ? spec.frequencies[0] : spec.base,
                      std::trunc(position) == position});
  }
  return angles;
}

}  // namespace

const std::vector<WorstCase>& WorstCases() {
  static const std::vector<WorstCase> all = [] {
    std::vector<WorstCase> made;
    const Line* group = nullptr;
    for (const Line& line : kLines) {
      if (line.is_group) {
        group = &line;
      } else {
        made.push_back(WorstCaseOf(*group, line));
      }
    }
    return made;
  }();
  return all;
}

Entries RowOf(const WorstCase& worst, const char* target) {
  const Handle handle(worst.c, target);
  Calls calls(worst.c);
  const bool is_reference = std::strcmp(target, kReferenceName) == 0;  // each row by itself, and slowly
  calls.Prepare(is_reference ? worst.row : 0, is_reference ? 1 : worst.c.rows);
  Entries entries;
  double seconds;
  calls.Call(worst.c, handle, &entries, &seconds);
  const std::size_t columns = worst.c.columns(), begin = is_reference ? 0 : worst.row * columns;
  Entries row(worst.c.type, columns);
  for (std::size_t k = 0; k < columns; ++k) row.Set(k, entries[begin + k]);
  return row;
}

std::vector<std::string> WrongResults(const std::string& target) {
  std::vector<std::string> wrong;
  for (const WorstCase& worst : WorstCases()) {
    const std::uint64_t got = RowOf(worst, target.c_str())[worst.column];
    if (got == worst.right) continue;
    wrong.push_back(target + ": got " + Show(worst.c.type, got) + ", right is " +
                    Show(worst.c.type, worst.right) + ": " + worst.text);
  }
  return wrong;
}

std::vector<HardAngle> HardAngles() { return AnglesFrom("near_quarter_turns"); }
std::vector<HardAngle> ReportedAngles() { return AnglesFrom("report"); }

}  // namespace tools
}  // namespace posenc
