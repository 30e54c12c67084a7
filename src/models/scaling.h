// Finds the scaling that a configuration asks for, and the numbers that the scaling needs.
#ifndef POSENC_SRC_MODELS_SCALING_H_
#define POSENC_SRC_MODELS_SCALING_H_

#include "models/configuration.h"
#include "models/layers.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {
namespace models {

// The scaling of the layer.
posenc_scaling ScalingOf(const Layer& layer, Configuration* configuration);

// Sets the members that spec->scaling needs. rotary_dim and base must be set before. Lists are not copied:
// the spec points to the caller's lists.
void SetScaling(const Layer& layer, Configuration* configuration, posenc_rotary_spec* spec);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_SCALING_H_
