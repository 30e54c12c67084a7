// What a test expects from a call: the kind of its status, and words from its sentence. Needs neither
// GoogleTest nor MPFR.
#ifndef POSENC_TESTS_REFUSAL_H_
#define POSENC_TESTS_REFUSAL_H_

#include <cstring>
#include <ostream>

#include "posenc/posenc_c.h"

namespace posenc {

// Use: EXPECT_EQ(call(), Refusal(POSENC_BAD_STRIDE, "stride of the lookup")). Without words, any sentence of
// this kind is accepted.
struct Refusal {
  Refusal(posenc_kind of, const char* some_words = "")  // NOLINT(google-explicit-constructor)
      : kind(of), words(some_words) {}
  Refusal(posenc_ok) : kind{}, words("") {}  // NOLINT(google-explicit-constructor): no refusal

  bool IsOk() const { return kind == posenc_kind{}; }

  posenc_kind kind;
  const char* words;
};

inline bool operator==(posenc_status status, const Refusal& refusal) {
  return posenc_status_kind(status) == refusal.kind &&
         std::strstr(posenc_status_message(status), refusal.words) != nullptr;
}
inline bool operator!=(posenc_status status, const Refusal& refusal) { return !(status == refusal); }

inline std::ostream& operator<<(std::ostream& to, const Refusal& refusal) {
  return to << "a status of the kind " << refusal.kind << " whose sentence has \"" << refusal.words << '"';
}

}  // namespace posenc

#endif  // POSENC_TESTS_REFUSAL_H_
