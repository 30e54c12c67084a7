#!/bin/sh
# check_symbols.sh LIBRARY VERSION SYMBOLS...: checks a shared library. It has its soname, and exports exactly what these files
# list. It needs no functions that print, lock, read the environment or start threads. It allocates memory only by operator new
# (at creation).
set -eu
library=$1 version=$2
shift 2
fail() { echo "$*" >&2; exit 1; }

soname=$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
[ "$soname" = "libposenc.so.$version" ] || fail "soname is $soname"
readelf -d "$library" | grep -E 'RPATH|RUNPATH' && fail "the library has an RPATH or RUNPATH"
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
  grep -Ev '^(libhwy|libstdc\+\+|libc\+\+|libc\+\+abi|libgcc_s|libm|libc|ld-linux.*)\.so' || true)
[ -z "$needed" ] || fail "depends on $needed"

exported=$(nm -DC --defined-only "$library" | sed -n 's/^[0-9a-f]* [TWVDBR] //p' | sed 's/@@.*//' | LC_ALL=C sort -u)
listed=$(cat "$@" | LC_ALL=C sort)
[ "$exported" = "$listed" ] || fail "the exports differ from $*:
$(printf '%s\n%s\n' "$exported" "$listed" | LC_ALL=C sort | uniq -u)"
echo "$(printf '%s\n' "$exported" | wc -l) symbols exported"

imported=$(nm -DC --undefined-only "$library" | sed 's/^ *[Uw] //; s/@.*//' | LC_ALL=C sort -u)
forbidden=$(printf '%s\n' "$imported" |
  grep -E '^(malloc|calloc|realloc|aligned_alloc|posix_memalign|.*getenv|.*printf|puts|.*put[cs]|fwrite|write|open|pthread_.*|.*cout|.*cerr|__cxa_throw.*|__cxa_begin_catch|.*dynamic_cast|std::thread.*|std::mutex.*|sleep|time|clock.*|errno|__errno_location|__tls_get_addr)$' || true)
[ -z "$forbidden" ] || fail "needs $forbidden"
echo "imports:" $imported
