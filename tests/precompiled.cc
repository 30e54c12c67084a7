// An empty file. CMake precompiles the headers for all test programs with it (CMakeLists.txt).
