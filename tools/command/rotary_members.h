// The members of posenc_rotary_spec by their names, as options and in words.
#ifndef POSENC_TOOLS_COMMAND_ROTARY_MEMBERS_H_
#define POSENC_TOOLS_COMMAND_ROTARY_MEMBERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "posenc/rotary_c.h"

namespace posenc {
namespace tools {

struct RotaryNumber {
  const char* name;
  double posenc_rotary_spec::*member;
  const char* help;
};

struct RotarySize {
  const char* name;
  std::size_t posenc_rotary_spec::*member;
  const char* help;
};

struct RotaryChoice {
  const char* name;
  std::int32_t posenc_rotary_spec::*member;
  const char* help;
  std::vector<const char*> values;  // 0, 1, ...
};

const std::vector<RotaryNumber>& RotaryNumbers();
const std::vector<RotarySize>& RotarySizes();
const std::vector<RotaryChoice>& RotaryChoices();

// "head_dim 128, base 500000, scaling llama3, factor 8, ...": what is not the default.
std::string Describe(const posenc_rotary_spec& spec);

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_ROTARY_MEMBERS_H_
