#include "suite.h"

#include <random>
#include <type_traits>

namespace posenc {
namespace bench {

bool IsTooSlow(const std::string& target, std::size_t entries) {
  if (target == "REFERENCE") return entries > 16 * 512;
  if (target == "SCALAR" || target == "EMU128") return entries > 512 * 512;
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
  if (status != Status::kOk) Fail(state, StatusMessage(status));
  return status == Status::kOk;
}

}  // namespace

bool Created(benchmark::State& state, const Spec& spec, Encoder* encoder) {
  return Create(state, spec, encoder);
}

bool Created(benchmark::State& state, const RotarySpec& spec, Rotary* rotary) {
  return Create(state, spec, rotary);
}

template <class Position>
PositionList<Position>::PositionList(Position lowest, Position highest) : positions_(kListedPositions) {
  std::mt19937_64 random(1);
  std::conditional_t<std::is_integral_v<Position>, std::uniform_int_distribution<Position>,
                     std::uniform_real_distribution<Position>>
      position(lowest, highest);
  for (Position& p : positions_) p = position(random);
}

template <class Position>
const Position* PositionList<Position>::Next(std::size_t rows) {
  if (next_ + rows > kListedPositions) next_ = 0;
  const Position* first = positions_.data() + next_;
  next_ += rows;
  return first;
}

template class PositionList<std::int64_t>;
template class PositionList<double>;

}  // namespace bench
}  // namespace posenc
