# Installs the library, its headers, the CMake package posenc and posenc.pc, all relocatable.
include(CMakePackageConfigHelpers)

set(posenc_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)

install(TARGETS posenc EXPORT posenc-targets)
install(DIRECTORY include/posenc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT posenc-targets NAMESPACE posenc:: DESTINATION ${posenc_package_dir})

# Only a static posenc needs Highway when its user links; from C, the C++ runtime as well.
set(posenc_find_highway "")
set(posenc_pc_requires "")
set(posenc_cxx_runtime "")
set(posenc_pc_definitions "")
if(posenc_type STREQUAL "STATIC_LIBRARY")
  set(posenc_pc_definitions " -DPOSENC_STATIC")
  if(NOT POSENC_ONE_TARGET)
    set(posenc_find_highway "include(CMakeFindDependencyMacro)\nfind_dependency(hwy 1.0.3)")
    set(posenc_pc_requires "Requires.private: libhwy >= 1.0.3")
  endif()
  foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    if(library MATCHES "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|m)$")
      string(APPEND posenc_cxx_runtime " -l${library}")
    endif()
  endforeach()
endif()
configure_package_config_file(cmake/posenc-config.cmake.in ${PROJECT_BINARY_DIR}/posenc-config.cmake
  INSTALL_DESTINATION ${posenc_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/posenc-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/posenc-config.cmake ${PROJECT_BINARY_DIR}/posenc-config-version.cmake
  DESTINATION ${posenc_package_dir})

# posenc.pc finds its prefix from its own place, unless the library directory was given as absolute.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(posenc_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH posenc_pc_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" posenc_pc_up "${posenc_pc_up}")
  set(posenc_pc_prefix "\${pcfiledir}/${posenc_pc_up}")
endif()
cmake_path(APPEND posenc_pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND posenc_pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/posenc.pc.in ${PROJECT_BINARY_DIR}/posenc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/posenc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
