// What the groups of rows share: specs, checks of statuses, and random positions.
#include "suite.h"

#include <random>
#include <type_traits>

namespace posenc {
namespace bench {

bool IsTooSlow(const std::string& target, std::size_t entries) {
  if (target == "REFERENCE") return entries > 16 * 512;
  if (target == "SCALAR") return entries > 512 * 512;
  return false;
}

Spec MakeSpec(std::size_t dim, const std::string& target) {
  Spec spec;
  spec.dim = dim;
  spec.target = target.c_str();
  return spec;
}

namespace {

template <class Handle, class SpecOfIt>
bool Create(benchmark::State& state, const SpecOfIt& spec, Handle* handle) {
  const Status status = Handle::Create(spec, handle);
  if (status != POSENC_OK) Fail(state, posenc_status_message(status));
  return status == POSENC_OK;
}

}  // namespace

bool Created(benchmark::State& state, const Spec& spec, Encoder* encoder) {
  return Create(state, spec, encoder);
}

bool Created(benchmark::State& state, const RotarySpec& spec, Rotary* rotary) {
  return Create(state, spec, rotary);
}

template <class Number>
RandomList<Number>::RandomList(Number lowest, Number highest, std::size_t count) : numbers_(count) {
  std::mt19937_64 random(1);
  std::conditional_t<std::is_integral_v<Number>, std::uniform_int_distribution<Number>,
                     std::uniform_real_distribution<Number>>
      number(lowest, highest);
  for (Number& n : numbers_) n = number(random);
}

template <class Number>
const Number* RandomList<Number>::Next(std::size_t rows) {
  if (next_ + rows > numbers_.size()) next_ = 0;
  next_ += rows;
  return numbers_.data() + next_ - rows;
}

template class RandomList<std::int32_t>;
template class RandomList<std::int64_t>;
template class RandomList<float>;
template class RandomList<double>;

}  // namespace bench
}  // namespace posenc
