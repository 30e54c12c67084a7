# For work on posenc itself: its tests, command and benchmarks, sanitizers and warnings.
cmake_minimum_required(VERSION 3.25)

# What everything here is compiled with; never passed on to consumers.
add_library(posenc_options INTERFACE)
target_compile_features(posenc_options INTERFACE cxx_std_17)
target_compile_options(posenc_options INTERFACE ${posenc_exact_arithmetic})
target_link_libraries(posenc PRIVATE $<BUILD_INTERFACE:posenc_options>)
if(POSENC_STRICT_WARNINGS AND MSVC)
  target_compile_options(posenc_options INTERFACE /W4 /WX)
elseif(POSENC_STRICT_WARNINGS)
  target_compile_options(posenc_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
endif()
if(POSENC_BUILD_FUZZ)
  target_compile_options(posenc_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(posenc_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(POSENC_SANITIZE)
  target_compile_options(posenc_options INTERFACE
    -fsanitize=${POSENC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(POSENC_SANITIZE MATCHES undefined)  # this check needs run-time types, which the library is compiled without
    target_compile_options(posenc_options INTERFACE -fno-sanitize=vptr)
  endif()
  target_link_options(posenc_options INTERFACE -fsanitize=${POSENC_SANITIZE})
endif()
if(POSENC_SANITIZE_LIBRARY)  # the library alone, besides: our programs would take twice as long to compile
  target_compile_options(posenc PRIVATE -fsanitize=${POSENC_SANITIZE_LIBRARY})
  target_link_options(posenc_options INTERFACE -fsanitize=${POSENC_SANITIZE_LIBRARY})
endif()

# The command and the tests wait for the library and for MPFR, not for code of their own: -O1 compiles them in two thirds
# of the time.
set(posenc_waiting "")
if(NOT MSVC)
  set(posenc_waiting $<$<CONFIG:Release>:-O1>)
endif()

# The library's objects with its insides, for our own programs: a shared posenc hides them.
add_library(posenc_internal STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:posenc>)
target_include_directories(posenc_internal PUBLIC include src)
target_link_libraries(posenc_internal PUBLIC posenc_options PRIVATE posenc_highway)
set_target_properties(posenc_internal PROPERTIES LINKER_LANGUAGE CXX)

if(POSENC_BUILD_TESTS)
  enable_testing()
endif()
if(POSENC_BUILD_TESTS OR POSENC_BUILD_TOOLS)
  add_subdirectory(tools)
endif()
if(POSENC_BUILD_BENCH)
  add_subdirectory(bench)
endif()
if(POSENC_BUILD_TESTS)
  add_subdirectory(tests)
endif()
