#include "number/exact.h"

#include "verify/digest.h"

#include <utility>

#include "verify/calls.h"
#include "verify/cases.h"

namespace posenc {
namespace tools {
namespace {

double EntriesOf(const Case& c) { return static_cast<double>(c.rows * c.columns()); }

}  // namespace

DigestRun::DigestRun(std::string target) : target_(std::move(target)), cases_(DigestCases()) {
  for (const Case& c : cases_) all_ += EntriesOf(c);
}

void DigestRun::Step() {
  const Case& c = cases_[next_++];
  const Handle handle(c, target_.c_str());
  Calls calls(c);
  calls.Prepare(0, c.rows);
  Entries entries;
  double seconds;
  calls.Call(c, handle, &entries, &seconds);
  digest_.Append(entries.LittleEndian(entries.count()));
  entries_ += EntriesOf(c);
}

}  // namespace tools
}  // namespace posenc
