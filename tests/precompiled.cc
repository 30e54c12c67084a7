// Nothing but what CMake precompiles for all test programs (CMakeLists.txt).
