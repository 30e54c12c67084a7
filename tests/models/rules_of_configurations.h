// The rules about configurations in spec/rules.inc. models_rules_test.cc breaks each of them.
#ifndef POSENC_TESTS_MODELS_RULES_OF_CONFIGURATIONS_H_
#define POSENC_TESTS_MODELS_RULES_OF_CONFIGURATIONS_H_

#include <vector>

#include "refusal.h"

namespace posenc {

inline const std::vector<posenc_status> kRulesOfConfigurations = {
    rule::null_config,      rule::null_entries,     rule::null_entry,    rule::config_pairing,
    rule::empty_layer_type, rule::empty_model_type, rule::unknown_model, rule::model_without_spec,
    rule::key_twice,        rule::unknown_key,      rule::kind_of_key,   rule::value_of_key,
    rule::missing_key,      rule::bad_layer,        rule::no_rotary};

}  // namespace posenc

#endif  // POSENC_TESTS_MODELS_RULES_OF_CONFIGURATIONS_H_
