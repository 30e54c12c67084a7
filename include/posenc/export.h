// What a shared library shows of posenc: only what is marked POSENC_API. For C and C++.
#ifndef POSENC_EXPORT_H_
#define POSENC_EXPORT_H_

// Plain C++17: a compiler passes over attributes that it does not know (MSVC warns). C only calls.
#if defined(__cplusplus) && !defined(_MSC_VER)
#define POSENC_API [[gnu::visibility("default")]]
#else
#define POSENC_API
#endif

#endif  // POSENC_EXPORT_H_
