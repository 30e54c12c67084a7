# Stops the configuration if flags from outside would let the compiler rewrite floating-point expressions. What comes
# another way stops the compilation (src/compiler.h).
get_directory_property(posenc_flags COMPILE_OPTIONS)
string(APPEND posenc_flags " ${CMAKE_CXX_FLAGS}")
foreach(posenc_config IN LISTS CMAKE_BUILD_TYPE CMAKE_CONFIGURATION_TYPES)
  string(TOUPPER "${posenc_config}" posenc_config)
  string(APPEND posenc_flags " ${CMAKE_CXX_FLAGS_${posenc_config}}")
endforeach()
string(REGEX MATCH
  "-(Ofast|f(fast-math|fp-model=fast|fp-model=aggressive|unsafe-math-optimizations|associative-math|reciprocal-math|finite-math-only|single-precision-constant))"
  posenc_fast_math "${posenc_flags}")
if(posenc_fast_math)
  message(FATAL_ERROR
    "posenc is correctly rounded and cannot be compiled with ${posenc_fast_math}. "
    "Give that flag to the targets that want it (target_compile_options), not to the whole project.")
endif()
