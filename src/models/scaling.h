// The scaling of a rotary embedding by a configuration.
#ifndef POSENC_SRC_MODELS_SCALING_H_
#define POSENC_SRC_MODELS_SCALING_H_

#include "models/configuration.h"
#include "models/layers.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {
namespace models {

// The scaling that the configuration names for the layer.
posenc_scaling ScalingOf(const Layer& layer, Configuration* configuration);

// Sets the members that spec->scaling needs. rotary_dim and base must be set. Lists stay in the caller's
// memory.
void SetScaling(const Layer& layer, Configuration* configuration, posenc_rotary_spec* spec);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_SCALING_H_
