#!/bin/sh
# abuses.sh POSENC WORK ROOMS [SANITIZED]: abuses the command in many ways. For each of the ROOMS it calls the function try_ROOM.
# The command must not crash or hang. It must not leave an unfinished file, and if it refuses, it must not change a file. The script
# prints what it cannot try on this system.
posenc=$1 work=$2/abuses.$$ rooms=$3 sanitized=$4
tried=0 failed=0
# A target without vectors; its name depends on the compiler. The last target, REFERENCE, is slow.
plainest=$("$posenc" targets | cut -f 1 | tail -n 2 | head -n 1)
quick="verify --quick --target $plainest"
table="table --dim 4 --rows 3"
endless="table --dim 512 --rows 2147483648"
long=$(printf '%0200d' 7)
words=$(printf '%0100000d' 0)
as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
[ "$(id -u)" = 0 ] || as_nobody=
ulimit -c 0

fail() {  # NAME SENTENCE
  failed=$((failed + 1))
  echo "FAILED: $1: $2"
}

expect() {  # expects that the command succeeds
  expected=$1
  shift
  "$@" >/dev/null 2>&1 || fail "$expected" "this failed: $*"
}

# Makes an empty folder for the next abuses, with the file `kept`.
fresh() {
  cd "$work" && chmod -R u+w . && rm -rf box && mkdir box && cd box && echo kept >kept || exit 2
}

# check NAME STATUSES STATUS: checks what an abuse did. Its standard error is in ../stderr.
check() {
  tried=$((tried + 1))
  case " $2 " in
    *" $3 "*) ;;
    *) fail "$1" "status $3, expected $2; $(head -c 300 ../stderr)" ;;
  esac
  for part in ./*.part ./*/*.part ../*.part; do
    [ ! -e "$part" ] || fail "$1" "it left $part"
    rm -f "$part"
  done
  if [ "$3" = 2 ]; then
    [ "$(wc -c <../stderr)" -le 1000 ] || fail "$1" "its sentence is too long"
    [ "$(tr -d '\0' <kept)" = kept ] || fail "$1" "it refused, but changed the file"
  fi
  [ -d kept ] || echo kept >kept
}

# abuse NAME STATUSES ARGUMENT...: runs posenc with these arguments.
abuse() {
  name=$1 statuses=$2
  shift 2
  timeout -s KILL 100 "$posenc" "$@" >../stdout 2>../stderr
  check "$name" "$statuses" $?
}

# limited NAME STATUSES LIMITS ARGUMENT...: the same with limits that ulimit sets.
limited() {
  name=$1 statuses=$2 limits=$3
  shift 3
  (eval "$limits" && exec "$posenc" "$@") >../stdout 2>../stderr
  check "$name" "$statuses" $?
}

numbers() {  # values that make no sense for a numeric option
  statuses=$1 option=$2
  shift 2
  for value in "" 0 -1 4294967296 4294967297 9223372036854775808 18446744073709551615 18446744073709551616 \
    1e999 nan word "$long"; do
    timeout -s KILL 100 "$posenc" "$@" "$option" "$value" --out kept >../stdout 2>../stderr
    check "$* $option '$value'" "$statuses" $?
  done
}

try_values() {
  fresh
  for command in table plot; do
    numbers "0 2" --dim $command --rows 3
    numbers "0 2" --rows $command --dim 4
    for option in --first --base --exponent-dim --position-scale --frequencies; do
      numbers "0 2" $option $command --dim 2 --rows 3
    done
    for option in --min-timescale --position-offset --padding-position; do
      numbers "0 2" $option $command --dim 2 --rows 3
    done
    for option in --dtype --layout --unit --target --phase-rounding --preset --odd-column; do
      abuse "$command $option with a long word" 2 $command --dim 4 --rows 3 --out kept $option "$words"
    done
  done
  numbers "0 2" --positions table --dim 2
  for value in "" -1 1e999 18446744073709551616 "$long" "$words"; do
    for option in --dim --rows --first --preset --frequencies; do
      abuse "diff $option '$(printf %.60s "$value")'" "0 1 2" diff --dim 4 --preset wan --preset edm_fourier $option "$value"
    done
  done
  for option in --factor --original-length --amplitude --rotary-dim --frequencies --factors --sections --base; do
    numbers "0 2" $option table --rotary llama3 --dim 8 --rows 3
  done
  numbers "0 2" --dim table --rotary llama --rows 3
  numbers "0 2" --factor plot --rotary llama3 --dim 8
  for option in --rotary --cache --scaling --pairing --axis-order; do
    abuse "table --rotary $option with a long word" 2 table --rotary llama --dim 4 --rows 3 --out kept $option "$words"
  done
  abuse "verify --areas ''" 2 verify --full --target NONE --areas ""
  expect "verify --areas ''" grep -q -e "^posenc: --areas: '' is not part of the name of an area" ../stderr
  for option in --part --reference-every --seed --threads --target --json; do
    for value in "" 0 -1 1e999 word 18446744073709551616 1/0 / "$long"; do
      abuse "verify $option '$value'" 2 verify --full --target NONE $option "$value"
    done
  done
}

try_threads() {
  fresh
  for count in 0 1025 40000 4294967295 4294967296 4294967297 18446744073709551615; do
    abuse "--threads $count" 2 $quick --threads $count
  done
}

try_limits() {  # of processes and memory
  fresh
  if [ -n "$sanitized" ]; then
    echo "left out: limits of processes and memory, because sanitizers need more"
    return
  fi
  one="$as_nobody prlimit --nproc=1:1"
  if $one "$posenc" targets >/dev/null 2>&1; then  # root has no limit
    $one "$posenc" verify --full --target "$plainest" --threads 1024 --seed 18446744073709551615 \
      --part 18446744073709551615/18446744073709551615 --reference-every 18446744073709551615 >../stdout 2>../stderr
    check "verify: the largest numbers, in one process" 0 $?
    expect "verify: the largest numbers, in one process" grep -q 'only 1 of' ../stderr
  else
    echo "left out: a limit of processes (no prlimit or setpriv, or others may not run $posenc)"
  fi
  # The limit of stack sizes is also the size of a thread's stack.
  limited "memory for 2 stacks, no stdout" 2 "ulimit -s 1048576; ulimit -v 3000000; exec >&-" $quick --threads 8 \
    --json new
  expect "memory for 2 stacks" grep -q 'only [123] of 8' ../stderr
  expect "verify without stdout" test ! -e new -o "$(head -c 1 new)" = "{"
  limited "verify in 100000 KiB" "0 2" "ulimit -v 100000" $quick --threads 8 --json json
  for size in 60000 100000 250000; do  # 127 is the loader's status
    limited "table in $size KiB" "0 2 127" "ulimit -v $size" table --dim 9999999 --rows 9 --out kept
    limited "plot in $size KiB" "0 2 127" "ulimit -v $size" plot --dim 9999999 --rows 9 --out kept
  done
}

try_streams() {
  fresh
  "$posenc" $table >&- 2>../stderr
  check "closed stdout" 2 $?
  "$posenc" $table --out - >&- 2>../stderr
  check "closed stdout, --out -" 2 $?
  "$posenc" $table --out new >&- 2>../stderr <&-
  check "closed stdout and a file" 0 $?
  "$posenc" $table --dtype bfloat16 --out new <&- >&- 2>&-
  check "all closed" 0 $?
  expect "all closed" test "$(wc -c <new)" = 152
  "$posenc" verify --threads 0 2>&-
  check "no stderr for a refusal" 2 $?
  for arguments in targets --help --version "$table" "$table --out -"; do
    [ -e /dev/full ] || continue
    "$posenc" $arguments >/dev/full 2>../stderr
    check "$arguments to a full disk" 2 $?
  done
  for out in "" "--out /dev/stdout" "--out -"; do
    (timeout 30 "$posenc" table --dim 64 --rows 99999 $out 2>../stderr; echo $? >../status) | head -c 9 >/dev/null
    check "a reader that left $out" 3 "$(cat ../status)"
    expect "a reader that left $out" test ! -s ../stderr
  done
}

try_files() {
  fresh
  mkdir folder
  echo data >file
  ln -s loop loop
  for out in "" . folder folder/ nowhere/new new/ file/new loop loop/new /proc/new "$long$long" \
    "$words" "$(printf '%02000d' 0 | sed 's/0/.\//g')$long$long"; do
    abuse "--out '$(printf %.60s "$out")'" 2 $table --out "$out"
    abuse "--json '$(printf %.60s "$out")'" 2 $quick --json "$out"
  done
  mkdir -p a/b
  ln -s b/link2 a/link1
  ln -s ../target a/b/link2
  for round in dangling good; do
    abuse "a $round link" 0 $table --out a/link1
    expect "a $round link" test -L a/link1 -a -L a/b/link2 -a -f a/target -a ! -L a/target
    expect "a $round link" test "$(wc -c <a/target)" = 176
  done
  longest=$(printf '%0255d' 0)
  abuse "the longest name" 0 $table --out "$longest"
  expect "the longest name" test -f "$longest"
  abuse "no file but a pipe" 0 $table --out /dev/null
  try_permissions
}

mode_of() { ls -ld "$1" | cut -c 1-10; }

try_permissions() {
  for mode in 600 640 666 755; do
    echo old >mode && chmod $mode mode && before=$(mode_of mode)
    abuse "a file of mode $mode" 0 $table --out mode
    expect "a file of mode $mode" test "$(mode_of mode)" = "$before"
  done
  (umask 077 && exec "$posenc" $table --out private)
  expect "the umask" test "$(mode_of private)" = -rw-------
  chmod 777 .
  mkdir -m 755 theirs
  echo kept >theirs/file
  echo kept >readable && chmod 444 readable
  [ -n "$as_nobody" ] || chmod 555 theirs
  if $as_nobody "$posenc" $table --out mine 2>/dev/null; then
    for out in theirs/new theirs/file readable; do
      $as_nobody "$posenc" $table --out $out 2>../stderr
      check "$out, which is write-protected" 2 $?
    done
    expect "write-protected files" test "$(cat theirs/file readable)" = "$(printf 'kept\nkept')"
  else
    echo "left out: files of others (no setpriv, or others may not write here or run $posenc)"
  fi
  limited "a file beyond the limit of sizes" 2 "ulimit -f 1" table --dim 64 --rows 999 --out kept
}

# The signal ends the command. For that the shell reports the status 128 plus the signal's number.
try_signals() {
  fresh
  for signal in 1:HUP 2:INT 3:QUIT 15:TERM; do
    timeout --preserve-status -s ${signal#*:} 0.2 "$posenc" $endless --out kept 2>../stderr
    check "SIG${signal#*:} in the middle of a table" $((128 + ${signal%:*})) $?
    timeout --preserve-status -s ${signal#*:} 0.2 "$posenc" verify --json new >../stdout 2>../stderr
    check "SIG${signal#*:} in the middle of verify" $((128 + ${signal%:*})) $?
    expect "SIG${signal#*:} in the middle of verify" test ! -e new
  done
  (trap '' HUP && exec "$posenc" $endless --out kept >../stdout 2>../stderr) &
  sleep 0.2
  kill -HUP $!
  sleep 0.1
  kill -TERM $!
  wait $! 2>/dev/null
  check "an ignored signal, then another" 143 $?
}

try_two_at_once() {
  fresh
  for round in 1 2 3; do
    "$posenc" table --dim 64 --rows 20000 --out both 2>../stderr &
    "$posenc" table --dim 64 --rows 30000 --out both 2>../stderr
    status=$?
    wait $!
    check "two that write a file" "0 0" "$status $?"
    case $(wc -c <both) in
      5120128 | 7680128) ;;
      *) fail "two that write a file" "it has $(wc -c <both) bytes" ;;
    esac
  done
}

try_lists() {
  fresh
  mkfifo pipe
  printf '1\0002' >zeros
  printf ',,,' >commas
  printf '1\n2 x\n' >word
  printf '%s' "$words$words$words" >digits
  : >empty
  for file in "" . /nowhere pipe/x empty commas word zeros "$posenc" /dev/zero "$words"; do
    for option in --positions "--rows 3 --frequencies"; do
      abuse "$option @$(printf %.60s "$file")" 2 table --dim 2 $option "@$file" --out kept
    done
  done
  for list in , 0x 1e3x -0, "1 2 3" 1,,2 " "; do
    abuse "--frequencies '$list'" 2 table --dim 4 --rows 3 --frequencies "$list" --out kept
  done
  abuse "a line of digits" "0 2" table --dim 2 --positions @digits --out kept
  (printf 1 >pipe) &
  abuse "a list from a pipe" 0 table --dim 2 --positions @pipe --out new
  abuse "100000 words" 2 table $(seq 20000)
  abuse "control characters" 2 "$(printf 'ta\033[31m\rble\n')"
  expect "control characters" test "$(wc -l <../stderr)" = 1
}

# npy NAME VERSION HEADER BYTES: makes a NumPy file with this header, and BYTES bytes of zeros.
npy() {
  length=${#3}
  {
    printf '\223NUMPY'
    printf "\\$(printf %03o "$2")\\000\\$(printf %03o $((length % 256)))\\$(printf %03o $((length / 256)))"
    [ "$2" = 1 ] || printf '\000\000'
    printf %s "$3"
    head -c "$4" /dev/zero
  } >"$1"
}

try_tables() {
  fresh
  whole="{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
  for version in 1 2 3; do
    npy good $version "$whole" 48
    abuse "identify: format $version" 1 identify good  # all zeros
  done
  npy good 1 "{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"<f8\"}" 96
  abuse "identify: another order" 1 identify good
  for shape in "(1, 3, 4)" "(3, 1, 4)" "(1, 3, 1, 4)"; do
    npy good 1 "{'descr': '<f4', 'fortran_order': True, 'shape': $shape}" 48
    abuse "identify: $shape" 1 identify good
  done
  for version in 0 4 255; do
    npy bad $version "$whole" 48
    abuse "identify: format $version" 2 identify bad
  done
  for bytes in 0 1 47 49 96; do
    npy bad 1 "$whole" $bytes
    abuse "identify: $bytes bytes" 2 identify bad
  done
  for header in "" "{" "{}" "{'descr': '<f4'}" "$whole x" "x$whole" "$(echo "$whole" | tr -d "'")" \
    "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}" \
    "{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 4)}" \
    "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 4)}" "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4)}" \
    "{'descr': '|O', 'fortran_order': False, 'shape': (3, 4)}" "{'descr': '$long', 'fortran_order': False, 'shape': (3, 4)}" \
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 4)}" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': 12}" "{'descr': '<f4', 'fortran_order': False, 'shape': (12,)}" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 2)}" "{'descr': '<f4', 'fortran_order': False, 'shape': ()}" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 1)}" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 4)}" "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4)}" "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0)}" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 18446744073709551615)}" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387907, 4)}" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 99999999999999999999)}" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), 'more': 1}"; do
    npy bad 1 "$header" 48
    abuse "identify: $(printf %.60s "$header")" 2 identify bad
  done
  npy whole 2 "$whole" 48
  for bytes in 0 1 5 6 7 8 9 11 12 13 40; do
    head -c $bytes whole >bad
    abuse "identify: the first $bytes bytes" 2 identify bad
  done
  printf '\223NUMPY\002\000\377\377\377\377%s' "$whole" >bad
  abuse "identify: a header of 4 GiB" 2 identify bad
  { printf '\223NUMPY\001\001'; tail -c +9 good; } >bad
  abuse "identify: format 1.1" 2 identify bad
  for file in "" . nowhere /dev/null /dev/zero "$words" "$posenc" kept; do
    abuse "identify $(printf %.60s "$file")" 2 identify "$file"
  done
  npy wide 1 "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 65536)}" 131072
  abuse "identify: a row of 65536 columns" 0 identify wide  # zeros are padding
  npy narrow 1 "{'descr': '<u2', 'fortran_order': False, 'shape': (1000000, 1)}" 2000000
  abuse "identify: a million rows" 0 identify narrow  # with odd columns
  mkfifo pipe
  (cat whole >pipe) &
  abuse "identify: a pipe" 1 identify pipe
}

mkdir -p "$work" || exit 2
chmod 755 "$work"
for room in $rooms; do
  try_$room
done
cd / && chmod -R u+w "$work" && rm -rf "$work"
echo "$tried abuses, $failed failures"
[ $failed = 0 ] && { [ $tried != 0 ] || [ -n "$sanitized" ]; }
