// Records which rules in spec/rules.inc the mistakes of a test have broken.
#ifndef POSENC_TESTS_RULES_TEST_H_
#define POSENC_TESTS_RULES_TEST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "posenc/posenc_c.h"
#include "spec/rules.h"

namespace posenc {

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

class BrokenRules {
 public:
  // Expects that a mistake has the status of this rule.
  void Expect(posenc_status rule, posenc_status status) {
    const auto name_of = [](posenc_status of) {
      for (const Rule& known : AllRules()) {
        if (known.status == of) return known.name;
      }
      return of == POSENC_OK ? "OK" : "no rule";
    };
    EXPECT_EQ(status, rule) << name_of(status) << " instead of " << name_of(rule);
    broken_.insert(status);
  }

  // The same after *argument = value. With its old value, call() succeeds.
  template <class T, class Call>
  void ExpectWith(T* argument, const std::common_type_t<T>& value, posenc_status rule, const Call& call) {
    const T before = *argument;
    *argument = value;
    Expect(rule, call());
    *argument = before;
    EXPECT_EQ(call(), POSENC_OK) << posenc_status_message(rule);
  }

  // Expects that all rules of models, or all other rules, were broken, except `others`, which need another
  // test.
  void ExpectAll(bool of_models, std::initializer_list<posenc_status> others = {}) const {
    for (const Rule& rule : AllRules()) {
      const bool is_other = std::count(others.begin(), others.end(), rule.status) != 0;
      if ((rule.status >= internal::rule::null_name) != of_models) continue;
      EXPECT_NE(broken_.count(rule.status) != 0, is_other)
          << rule.name << ": no mistake here breaks this rule";
    }
  }

 private:
  std::set<posenc_status> broken_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_RULES_TEST_H_
