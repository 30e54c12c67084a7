#!/bin/sh
# check_cmake_words.sh SOURCE: checks that the CMake files which build, install and find the library use nothing newer than
# CMake 3.11. The exception is $<TARGET_EXISTS>, after a check of the version. It looks only for words that people are tempted
# to use.
set -eu
cd "$1"
files="CMakeLists.txt cmake/exact_arithmetic.cmake cmake/highway.cmake cmake/install.cmake cmake/posenc-config.cmake.in"
grep -q '^cmake_minimum_required(VERSION 3\.11\.\.\.' CMakeLists.txt
newer='cmake_path|cmake_language|target_(link_options|link_directories|precompile_headers)|add_link_options|block\(
|check_(linker|compiler)_flag|CheckLinkerFlag|CMAKE_REQUIRED_LINK_OPTIONS|PROJECT_IS_TOP_LEVEL|PROJECT_[A-Z_]*IS_TOP
|FetchContent_MakeAvailable|COMMAND_ERROR_IS_FATAL|LINK_OPTIONS|SHELL:|LINKER:|IN ZIP_LISTS|FILE_SET|FIND_PACKAGE_ARGS
|REAL_PATH|PATH_EQUAL|list\((JOIN|SUBLIST|TRANSFORM|SORT .* |POP_|PREPEND)|string\((JOIN|REPEAT|HEX|JSON)
|file\((CONFIGURE|SIZE|READ_SYMLINK|CREATE_LINK|ARCHIVE|CHMOD|COPY_FILE|GET_RUNTIME)|CMAKE_(CURRENT_FUNCTION|FIND_DEBUG)
|\$<(REMOVE_DUPLICATES|FILTER|GENEX_EVAL|TARGET_GENEX_EVAL|IN_LIST|LINK_LANG|HOST_LINK|DEVICE_LINK|PATH|LIST|LINK_LIB
|COMPILE_LANG_AND_ID|TARGET_RUNTIME|TARGET_FILE_BASE|[A-Z_]*COMPILER_FRONTEND|BUILD_LOCAL_INTERFACE|LINK_GROUP)'
newer=$(printf %s "$newer" | tr -d '\n')
if grep -nE "$newer" $files | grep -v '^[^:]*:[0-9]*: *#'; then
  echo "newer than CMake 3.11" >&2
  exit 1
fi
