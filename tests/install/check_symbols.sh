#!/bin/sh
# check_symbols.sh LIBRARY SYMBOLS VERSION: a shared library has its soname, exports exactly SYMBOLS and needs nothing
# that prints, locks, reads the environment or starts threads; memory only by operator new (creation).
set -eu
library=$1 symbols=$2 version=$3
fail() { echo "$*" >&2; exit 1; }

soname=$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
[ "$soname" = "libposenc.so.$version" ] || fail "soname is $soname"
readelf -d "$library" | grep -E 'RPATH|RUNPATH' && fail "the library knows a place"
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
  grep -Ev '^(libhwy|libstdc\+\+|libc\+\+|libc\+\+abi|libgcc_s|libm|libc|ld-linux.*)\.so' || true)
[ -z "$needed" ] || fail "depends on $needed"

exported=$(nm -DC --defined-only "$library" | sed -n 's/^[0-9a-f]* [TWVDBR] //p' | sed 's/@@.*//' | LC_ALL=C sort -u)
printf '%s\n' "$exported" | diff "$symbols" - || fail "exports are not those of $symbols (left)"
echo "$(printf '%s\n' "$exported" | wc -l) symbols exported"

imported=$(nm -DC --undefined-only "$library" | sed 's/^ *[Uw] //; s/@.*//' | LC_ALL=C sort -u)
forbidden=$(printf '%s\n' "$imported" |
  grep -E '^(malloc|calloc|realloc|aligned_alloc|posix_memalign|.*getenv|.*printf|puts|.*put[cs]|fwrite|write|open|pthread_.*|.*cout|.*cerr|__cxa_throw.*|__cxa_begin_catch|.*dynamic_cast|std::thread.*|std::mutex.*|sleep|time|clock.*|errno|__errno_location|__tls_get_addr)$' || true)
[ -z "$forbidden" ] || fail "needs $forbidden"
echo "imports:" $imported
