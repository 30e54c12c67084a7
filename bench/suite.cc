#include "suite.h"

#include <random>

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

bool Created(benchmark::State& state, const Spec& spec, Encoder* encoder) {
  const Status status = Encoder::Create(spec, encoder);
  if (status != Status::kOk) Fail(state, StatusMessage(status));
  return status == Status::kOk;
}

PositionList::PositionList(std::int64_t lowest, std::int64_t highest) : positions_(kCount) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> position(lowest, highest);
  for (std::int64_t& p : positions_) p = position(random);
}

const std::int64_t* PositionList::Next(std::size_t rows) {
  if (next_ + rows > kCount) next_ = 0;
  const std::int64_t* first = positions_.data() + next_;
  next_ += rows;
  return first;
}

}  // namespace bench
}  // namespace posenc
