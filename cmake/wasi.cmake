# CMake's view of WebAssembly with WASI, Debian's packages: clang-19, lld-19, wasi-libc, libc++-19-dev-wasm32,
# libc++abi-19-dev-wasm32 and libclang-rt-19-dev-wasm32. There are neither exceptions nor threads.
# WASI_FLAGS are the compiler's, e.g. -msimd128.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WASI_FLAGS)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET wasm32-wasi)
  set(CMAKE_${language}_FLAGS_INIT "${WASI_FLAGS} -fno-exceptions")
endforeach()
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
