// What a shared library shows of posenc: only what is marked POSENC_API. For C and C++.
#ifndef POSENC_EXPORT_H_
#define POSENC_EXPORT_H_

// Plain C++17: a compiler passes over attributes that it does not know (MSVC warns). C only calls. A static
// posenc and its users are compiled with POSENC_STATIC: a plugin with one inside (and -fvisibility=hidden)
// neither shows it nor gets another's.
#if defined(__cplusplus) && !defined(_MSC_VER) && !defined(POSENC_STATIC)
#define POSENC_API [[gnu::visibility("default")]]
#else
#define POSENC_API
#endif

#endif  // POSENC_EXPORT_H_
