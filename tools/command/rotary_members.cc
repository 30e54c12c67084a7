#include "command/rotary_members.h"

#include "command/encoding.h"
#include "command/options.h"

namespace posenc {
namespace tools {

const std::vector<RotaryNumber>& RotaryNumbers() {
  using S = posenc_rotary_spec;
  static const std::vector<RotaryNumber> numbers = {
      {"base", &S::base, "Base of the frequencies (rope_theta)"},
      {"exponent_dim", &S::exponent_dim, "Divisor in the exponent -2i/X of the base [rotary_dim]"},
      {"position_scale", &S::position_scale, "Multiplies every position"},
      {"factor", &S::factor, "Of the scaling"},
      {"length", &S::length, "How long the context is now"},
      {"original_length", &S::original_length, "How long it was in the training"},
      {"beta_fast", &S::beta_fast, "Of YaRN"},
      {"beta_slow", &S::beta_slow, "Of YaRN"},
      {"mscale", &S::mscale, "Of YaRN's amplitude"},
      {"mscale_all_dim", &S::mscale_all_dim, "Of it too"},
      {"low_freq_factor", &S::low_freq_factor, "Of Llama 3"},
      {"high_freq_factor", &S::high_freq_factor, "Of Llama 3"},
      {"proportion", &S::proportion, "Of the pairs that turn, 0 .. 1"},
      {"amplitude", &S::amplitude, "Instead of the scaling's"}};
  return numbers;
}

const std::vector<RotarySize>& RotarySizes() {
  using S = posenc_rotary_spec;
  static const std::vector<RotarySize> sizes = {{"head_dim", &S::head_dim, "Elements of a head"},
                                                {"rotary_dim", &S::rotary_dim, "How many of them turn"},
                                                {"rotary_offset", &S::rotary_offset, "The first of them"},
                                                {"axes", &S::axes, "Of a position"}};
  return sizes;
}

const std::vector<RotaryChoice>& RotaryChoices() {
  using S = posenc_rotary_spec;
  static const std::vector<RotaryChoice> choices = {
      {"pairing", &S::pairing, "Which elements are a pair", {"half_split", "neighbours"}},
      {"output_pairing",
       &S::output_pairing,
       "Which are one in the result",
       {"half_split", "neighbours", "same"}},
      {"arithmetic", &S::arithmetic, "What is computed", {"exact", "fast"}},
      {"phase_rounding", &S::phase_rounding, "Rounding of the phases, as an engine has it",
       PhaseRoundingNames()},
      {"unit", &S::unit, "Of the frequencies before scaling", {"radians", "half-turns", "turns"}},
      {"scaling",
       &S::scaling,
       "How the context was stretched",
       {"none", "linear", "ntk", "dynamic_ntk", "qwen_ntk", "mixed_ntk", "yarn", "yarn_log", "longrope",
        "llama3", "proportional", "frequency_factors"}},
      {"truncate", &S::truncate, "Whether YaRN's ramp ends at whole pairs", {"0", "1"}},
      {"axis_order",
       &S::axis_order,
       "Which axis turns which pair",
       {"consecutive", "interleaved", "alternating", "split", "axial", "imrope"}}};
  return choices;
}

std::string Describe(const posenc_rotary_spec& spec) {
  posenc_rotary_spec defaults;
  Require(posenc_rotary_spec_init(&defaults, sizeof(defaults)));
  std::string text;
  const auto say = [&](const char* name, const std::string& value) {
    text.append(text.empty() ? "" : ", ").append(name).append(" ").append(value);
  };
  for (const RotarySize& size : RotarySizes()) {
    if (spec.*size.member != defaults.*size.member) say(size.name, std::to_string(spec.*size.member));
  }
  for (const RotaryChoice& choice : RotaryChoices()) {
    const std::int32_t value = spec.*choice.member;
    if (value != defaults.*choice.member) say(choice.name, choice.values[static_cast<std::size_t>(value)]);
  }
  for (const RotaryNumber& number : RotaryNumbers()) {
    const double value = spec.*number.member;
    if (value != defaults.*number.member) say(number.name, Shortest(value));
  }
  if (spec.frequency_count != 0) say("frequencies", std::to_string(spec.frequency_count));
  if (spec.factor_count != 0) say("factors", std::to_string(spec.factor_count));
  for (std::size_t k = 0; spec.axes > 1 && k < spec.axes; ++k) {
    say(k == 0 ? "sections" : "+", std::to_string(spec.sections[k]));
  }
  return text;
}

}  // namespace tools
}  // namespace posenc
