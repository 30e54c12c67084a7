// The steps of a rotary embedding that are rational numbers of quarter turns.
#ifndef POSENC_SRC_FREQUENCY_ROTARY_RATIONAL_H_
#define POSENC_SRC_FREQUENCY_ROTARY_RATIONAL_H_

#include <cstddef>

#include "frequency/rational.h"
#include "frequency/rotary_schedule.h"

namespace posenc {
namespace internal {

// Of a schedule in turns or half turns.
RationalStep RationalStepOf(const RotarySchedule& schedule, std::size_t pair);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_ROTARY_RATIONAL_H_
