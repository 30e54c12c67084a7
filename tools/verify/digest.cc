#include "verify/digest.h"

#include <utility>

#include "command/require.h"
#include "verify/encoding_cases.h"
#include "verify/rotary_cases.h"

namespace posenc {
namespace tools {
namespace {

double EntriesOf(const EncodingCase& c) { return static_cast<double>(c.rows * c.spec.dim); }
double EntriesOf(const RotaryCase& c) { return static_cast<double>(c.rows * c.columns()); }

}  // namespace

DigestRun::DigestRun(std::string target)
    : target_(std::move(target)), encodings_(EncodingDigestCases()), rotaries_(RotaryDigestCases()) {
  for (const EncodingCase& c : encodings_) all_ += EntriesOf(c);
  for (const RotaryCase& c : rotaries_) all_ += EntriesOf(c);
}

void DigestRun::Step() {
  const std::size_t at = next_++;
  if (at < encodings_.size()) return Take(encodings_[at]);
  Take(rotaries_[at - encodings_.size()]);
}

void DigestRun::Take(const EncodingCase& c) {
  Spec spec = c.spec;
  spec.target = target_.c_str();
  Encoder encoder;
  Require(Encoder::Create(spec, &encoder));
  Entries entries;
  RunCase(c, encoder, 0, c.rows, &entries);
  Append(entries);
}

void DigestRun::Take(const RotaryCase& c) {
  const RotaryPtr rotary = MakeRotary(c.spec, target_.c_str());
  RotaryCalls calls(c);
  calls.Prepare(0, c.rows);
  Written written;
  calls.Call(rotary.get(), &written);
  Append(written.entries);
}

void DigestRun::Append(const Entries& entries) {
  digest_.Append(entries.LittleEndian(entries.count()));
  entries_ += static_cast<double>(entries.count());
}

}  // namespace tools
}  // namespace posenc
