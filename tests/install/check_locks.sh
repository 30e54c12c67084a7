#!/bin/sh
# check_locks.sh LIBRARY: checks that no object in the static library takes a lock, not even to initialize a static variable.
set -eu
needed=$(nm -u "$1" | sed -n 's/^ *[Uw] //p' | LC_ALL=C sort -u)
echo "$needed" | grep -qx memcpy || { echo "$1: nm found no use of memcpy there, so this check cannot work" >&2; exit 1; }
locks=$(echo "$needed" | grep -E '^(__cxa_guard_|pthread_|mtx_|sem_|futex|__atomic_|_ZNSt.*(mutex|once_flag|atomic_wait))' || true)
[ -z "$locks" ] || { echo "locks:" $locks >&2; exit 1; }
