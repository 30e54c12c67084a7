# Installs the library, its headers, the CMake package posenc and posenc.pc, all relocatable.
include(CMakePackageConfigHelpers)

set(posenc_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)

# Only a static posenc needs Highway when its user links; from C, the C++ runtime as well.
set(posenc_find_highway "")
set(posenc_pc_requires "")
set(posenc_cxx_runtime "")
set(posenc_pc_definitions "")
if(NOT POSENC_BUILD_SHARED)
  set(posenc_pc_definitions " -DPOSENC_STATIC")
  if(NOT POSENC_ONE_TARGET)
    set(posenc_find_highway "include(CMakeFindDependencyMacro)\nfind_dependency(hwy 1.0.3)")
    set(posenc_pc_requires "Requires.private: libhwy >= 1.0.3")
    target_link_libraries(posenc PRIVATE $<INSTALL_INTERFACE:hwy::hwy>)
  endif()
  foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    if(library MATCHES "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi)$")
      string(APPEND posenc_cxx_runtime " -l${library}")
    endif()
  endforeach()
endif()

# Highway as a subproject with its install rules off (its option HWY_ENABLE_INSTALL): who uses the installed posenc
# would lack it.
if(TARGET "${posenc_highway_here}" AND NOT POSENC_ONE_TARGET AND DEFINED HWY_ENABLE_INSTALL AND NOT HWY_ENABLE_INSTALL)
  get_target_property(posenc_highway_imported ${posenc_highway_here} IMPORTED)
  get_target_property(posenc_highway_type ${posenc_highway_here} TYPE)
  if(NOT posenc_highway_imported AND (NOT POSENC_BUILD_SHARED OR posenc_highway_type STREQUAL "SHARED_LIBRARY"))
    message(FATAL_ERROR "POSENC_INSTALL=ON would install a posenc that needs Highway, but not this project's Highway. "
      "Set HWY_ENABLE_INSTALL=ON to install it too, POSENC_INSTALL=OFF to install neither, or POSENC_BUILD_SHARED=ON "
      "with a static Highway (HWY_FORCE_STATIC_LIBS=ON), which becomes part of libposenc.so.")
  endif()
endif()

install(TARGETS posenc EXPORT posenc-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(posenc_left_out "")
if(NOT POSENC_BUILD_MODELS)
  set(posenc_left_out PATTERN models*.h EXCLUDE)
endif()
install(DIRECTORY include/posenc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${posenc_left_out})
install(EXPORT posenc-targets NAMESPACE posenc:: DESTINATION ${posenc_package_dir})
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
foreach(dir LIBDIR INCLUDEDIR)
  string(TOLOWER posenc_pc_${dir} variable)
  set(${variable} ${CMAKE_INSTALL_${dir}})
  if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(${variable} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file(cmake/posenc.pc.in ${PROJECT_BINARY_DIR}/posenc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/posenc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
