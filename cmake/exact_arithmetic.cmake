# posenc_exact_arithmetic: options that forbid the compiler to rewrite floating-point expressions, whatever flags come
# from outside (CMAKE_CXX_FLAGS, add_compile_options): with them, GCC 12 and Clang 14 compile as if -ffast-math, -Ofast
# and the like had not been given. What they cannot undo stops the configuration here, or else the compilation
# (src/number/compiler.h). Without -fsigned-char GCC 12 blends wrongly on x86.
get_directory_property(posenc_directory_flags COMPILE_OPTIONS)
set(posenc_all_flags "${CMAKE_CXX_FLAGS} ${posenc_directory_flags}")
foreach(config ${CMAKE_BUILD_TYPE} ${CMAKE_CONFIGURATION_TYPES})
  string(TOUPPER "${config}" config)
  string(APPEND posenc_all_flags " ${CMAKE_CXX_FLAGS_${config}}")
endforeach()

set(posenc_exact_arithmetic -ffp-contract=off -fsigned-zeros -fsigned-char)
set(posenc_refused "-mfpmath=[a-z,+]*(387|both)")
if(MSVC)
  set(posenc_exact_arithmetic /fp:precise)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # whose precise is -ffp-contract=on
    list(APPEND posenc_exact_arithmetic /clang:-ffp-contract=off)
  endif()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(INSERT posenc_exact_arithmetic 0 -fno-fast-math -fno-unsafe-math-optimizations -fno-associative-math
    -fno-reciprocal-math -fno-finite-math-only -fno-single-precision-constant)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(INSERT posenc_exact_arithmetic 0 -fno-fast-math)  # undoes the parts as well
else()
  set(posenc_refused "${posenc_refused}|-(Ofast|f(fast-math|fp-model=fast|fp-model=aggressive|\
unsafe-math-optimizations|associative-math|reciprocal-math|finite-math-only|single-precision-constant))")
endif()
string(REGEX MATCH "${posenc_refused}" posenc_refused_flag "${posenc_all_flags}")
if(posenc_refused_flag)
  message(FATAL_ERROR
    "posenc is correctly rounded and cannot be compiled with ${posenc_refused_flag}. "
    "Give that flag to the targets that want it (target_compile_options), not to the whole project.")
endif()

# posenc_exact_target(<target>): the same for one target's compilation and linking. -Ofast is taken back by another -O
# only. At the link all these flags would bring crtfastmath.o, which flushes subnormals in the whole process.
function(posenc_exact_target target)
  target_compile_options(${target} PRIVATE ${posenc_exact_arithmetic})
  set(configs ${CMAKE_BUILD_TYPE} ${CMAKE_CONFIGURATION_TYPES})
  foreach(config ${configs})
    string(TOUPPER "${config}" upper)
    if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${upper}} ${posenc_directory_flags}" MATCHES "-Ofast([^-]|-[^O])*$")
      target_compile_options(${target} PRIVATE $<$<CONFIG:${config}>:-O3>)
      set_property(TARGET ${target} APPEND_STRING PROPERTY LINK_FLAGS_${upper} " -O3")
    endif()
  endforeach()
  if(NOT configs AND posenc_all_flags MATCHES "-Ofast([^-]|-[^O])*$")
    target_compile_options(${target} PRIVATE -O3)
    set_property(TARGET ${target} APPEND_STRING PROPERTY LINK_FLAGS " -O3")
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT MSVC)
    set_property(TARGET ${target} APPEND_STRING PROPERTY LINK_FLAGS " -fno-fast-math -fno-unsafe-math-optimizations")
  endif()
endfunction()
