# Stops the configuration if flags from outside would let the compiler rewrite floating-point expressions.
get_directory_property(posenc_flags COMPILE_OPTIONS)
string(TOUPPER "${CMAKE_BUILD_TYPE}" posenc_build_type)
string(APPEND posenc_flags " ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${posenc_build_type}}")
string(REGEX MATCH
  "-(Ofast|ffast-math|funsafe-math-optimizations|fassociative-math|freciprocal-math|ffinite-math-only)"
  posenc_fast_math "${posenc_flags}")
if(posenc_fast_math)
  message(FATAL_ERROR
    "posenc is correctly rounded and cannot be compiled with ${posenc_fast_math}. "
    "Give that flag to the targets that want it (target_compile_options), not to the whole project.")
endif()
