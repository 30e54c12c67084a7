// The scaling of a rotary by a configuration.
#ifndef POSENC_SRC_API_CONFIG_SCALING_H_
#define POSENC_SRC_API_CONFIG_SCALING_H_

#include "api/config_values.h"
#include "posenc/rotary_config_c.h"

namespace posenc {
namespace internal {
namespace config {

// The scaling that the configuration names.
posenc_scaling ScalingOf(ConfigValues* values);

// Sets what spec->scaling, rotary_dim and base need besides. Lists stay the caller's.
void SetScaling(ConfigValues* values, posenc_rotary_spec* spec);

}  // namespace config
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_API_CONFIG_SCALING_H_
