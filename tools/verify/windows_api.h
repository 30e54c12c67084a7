// Includes <windows.h>, without the macros (min, max ...) that break other code.
#ifndef POSENC_TOOLS_VERIFY_WINDOWS_API_H_
#define POSENC_TOOLS_VERIFY_WINDOWS_API_H_

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#undef near
#undef far

#endif  // POSENC_TOOLS_VERIFY_WINDOWS_API_H_
