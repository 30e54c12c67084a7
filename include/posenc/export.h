// What a shared library shows of posenc: only what is marked POSENC_API. For C and C++.
#ifndef POSENC_EXPORT_H_
#define POSENC_EXPORT_H_

#if defined(__GNUC__)
#define POSENC_API __attribute__((visibility("default")))
#else
#define POSENC_API
#endif

#endif  // POSENC_EXPORT_H_
