// What a test expects from a call: a rule of spec/rules.inc, or the kind of its status and words from its
// sentence. Needs neither GoogleTest nor MPFR.
#ifndef POSENC_TESTS_REFUSAL_H_
#define POSENC_TESTS_REFUSAL_H_

#include <cstring>
#include <ostream>
#include <vector>

#include "posenc/posenc_c.h"
#include "spec/rules.h"

namespace posenc {

namespace rule = internal::rule;

struct Rule {
  posenc_status status;
  const char* name;
};

// In the order of rules.inc. From null_name on, they are rules of models.
inline const std::vector<Rule>& AllRules() {
  static const std::vector<Rule> rules = {
#define POSENC_RULE(name, kind, sentence) {internal::rule::name, #name},
#include "spec/rules.inc"
  };
  return rules;
}

// The name of the rule that a status reports.
inline const char* NameOf(posenc_status status) {
  for (const Rule& known : AllRules()) {
    if (known.status == status) return known.name;
  }
  return status == POSENC_OK ? "OK" : "no rule";
}

// Use one of:
//   EXPECT_EQ(call(), Refusal(rule::stride_table));
//   EXPECT_EQ(call(), Refusal(POSENC_BAD_STRIDE, "stride of the lookup"));
// Without words, any sentence of this kind is accepted.
struct Refusal {
  Refusal(posenc_kind of, const char* some_words = "")  // NOLINT(google-explicit-constructor)
      : kind(of), words(some_words) {}
  Refusal(posenc_ok) : kind{}, words("") {}  // NOLINT(google-explicit-constructor): no refusal
  Refusal(posenc_status one_rule)            // NOLINT(google-explicit-constructor)
      : kind(posenc_status_kind(one_rule)), rule(one_rule), words(posenc_status_message(one_rule)) {}

  bool IsOk() const { return kind == posenc_kind{}; }

  posenc_kind kind;
  posenc_status rule = POSENC_OK;  // none is named
  const char* words;
};

inline bool operator==(posenc_status status, const Refusal& refusal) {
  if (refusal.rule != POSENC_OK) return status == refusal.rule;
  return posenc_status_kind(status) == refusal.kind &&
         std::strstr(posenc_status_message(status), refusal.words) != nullptr;
}
inline bool operator!=(posenc_status status, const Refusal& refusal) { return !(status == refusal); }

inline std::ostream& operator<<(std::ostream& to, const Refusal& refusal) {
  return to << "a status of the kind " << refusal.kind << " whose sentence has \"" << refusal.words << '"';
}

}  // namespace posenc

#endif  // POSENC_TESTS_REFUSAL_H_
