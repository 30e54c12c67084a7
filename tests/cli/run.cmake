# Runs posenc in the empty folder WORK, and checks its exit status and output.
#
# cmake -D POSENC=... -D WORK=... -D STATUS=... -D FILE=... [-D STDOUT=...] [-D STDERR=...] [-D BYTES=...]
#       -P run.cmake -- ARGUMENT...
#
# STDOUT and STDERR are regular expressions. If posenc refuses (STATUS 2), it must print exactly one line, on stderr. FILE is
# the only file that may be in WORK afterwards. BYTES matches the beginning of FILE in hex.
cmake_minimum_required(VERSION 3.25)

set(arguments)
set(i 0)
while(NOT CMAKE_ARGV${i} STREQUAL "--")
  math(EXPR i "${i} + 1")
endwhile()
math(EXPR i "${i} + 1")
while(i LESS CMAKE_ARGC)
  list(APPEND arguments "${CMAKE_ARGV${i}}")
  math(EXPR i "${i} + 1")
endwhile()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${POSENC} ${arguments} WORKING_DIRECTORY ${WORK}
  RESULT_VARIABLE status OUTPUT_VARIABLE stdout ERROR_VARIABLE stderr)
file(GLOB files RELATIVE ${WORK} ${WORK}/*)
message("status: ${status}\nstdout:\n${stdout}\nstderr:\n${stderr}\nfiles: ${files}")

function(expect_same what got wanted)
  if(NOT got STREQUAL wanted)
    message(SEND_ERROR "${what}: '${got}', expected '${wanted}'")
  endif()
endfunction()

function(expect_like what got pattern)
  if(NOT got MATCHES "${pattern}")
    message(SEND_ERROR "${what}: '${got}', expected a match of '${pattern}'")
  endif()
endfunction()

expect_same("exit status" "${status}" "${STATUS}")
expect_same("files left" "${files}" "${FILE}")
if(STATUS EQUAL 2)
  expect_same("stdout" "${stdout}" "")
  expect_like("stderr" "${stderr}" "^posenc: [^\n]+\n$")
elseif(NOT DEFINED STDERR)
  expect_same("stderr" "${stderr}" "")
endif()
if(DEFINED STDOUT)
  expect_like("stdout" "${stdout}" "${STDOUT}")
endif()
if(DEFINED STDERR)
  expect_like("stderr" "${stderr}" "${STDERR}")
endif()
if(DEFINED BYTES AND FILE STREQUAL files)
  file(READ ${WORK}/${FILE} bytes LIMIT 256 HEX)
  expect_like("bytes" "${bytes}" "${BYTES}")
endif()
