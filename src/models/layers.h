// Which layers of a model rotate, and what differs between them.
#ifndef POSENC_SRC_MODELS_LAYERS_H_
#define POSENC_SRC_MODELS_LAYERS_H_

#include "models/configuration.h"

namespace posenc {
namespace internal {
namespace models {

// What is known about the layer that the caller asks for. If it asks for none, all members are false.
struct Layer {
  bool is_local;   // it has sliding attention
  bool is_global;  // it has full attention, in a model that also has sliding attention
};

// Finds the type of the layer and reads the dictionary for that type. Refuses a layer that the model does not
// have, and a layer that does not rotate. If layers have different rotary embeddings, a layer must be named.
Layer FindLayer(Configuration* configuration);

}  // namespace models
}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_MODELS_LAYERS_H_
