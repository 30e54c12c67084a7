// The version, and the sentence of each status.

#include "number/exact.h"

#include "posenc/posenc_c.h"

int32_t posenc_version(void) { return POSENC_VERSION; }

const char* posenc_status_message(posenc_status status) {
  switch (status) {
#define POSENC_STATUS(constant, sentence) \
  case constant:                          \
    return sentence;
#include "spec/statuses.inc"
    default:
      return "unknown status";
  }
}
