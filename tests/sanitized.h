// POSENC_SANITIZED: a sanitizer has replaced functions of the C library, so a test cannot replace them too.
#ifndef POSENC_TESTS_SANITIZED_H_
#define POSENC_TESTS_SANITIZED_H_

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define POSENC_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POSENC_SANITIZED 1
#endif

#endif  // POSENC_TESTS_SANITIZED_H_
