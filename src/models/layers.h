// Which layers of a model rotate, and what differs between them.
#ifndef POSENC_SRC_MODELS_LAYERS_H_
#define POSENC_SRC_MODELS_LAYERS_H_

#include "models/configuration.h"

namespace posenc {
namespace internal {
namespace models {

// The layer that is asked for. If none is, all its members are false.
struct Layer {
  bool is_local;   // it has sliding attention
  bool is_global;  // it has full attention, in a model that also has sliding attention
};

// Settles the type of the layer. Refuses a layer that the model does not have, one that does not rotate, and
// no layer if the rotary embeddings of layers differ.
Layer FindLayer(Configuration* configuration);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_LAYERS_H_
