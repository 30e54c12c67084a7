# posenc_highway: the one Highway that posenc is compiled and linked with. In this order:
#   POSENC_HIGHWAY_TARGET, a target that exists or will;
#   hwy, the target of Highway's own build, if this project has it, even if it comes only after posenc (CMake 3.12);
#   hwy::hwy, found already or now: the installed package;
#   with POSENC_ONE_TARGET, instead of the package: POSENC_HIGHWAY_INCLUDE_DIR, the folder of its headers.
# No alias hwy::hwy is made, or somebody else's find_package(hwy) would meet a part of its targets and fail.
add_library(posenc_highway INTERFACE)
set(posenc_highway_installed "")  # its target, or with POSENC_ONE_TARGET its headers
if(POSENC_HIGHWAY_TARGET)
  set(posenc_highway_here ${POSENC_HIGHWAY_TARGET})
  # A name that stays without a target is an error in the end, not a library -lNAME.
  target_include_directories(posenc_highway SYSTEM INTERFACE
    $<TARGET_PROPERTY:${posenc_highway_here},INTERFACE_INCLUDE_DIRECTORIES>)
else()
  set(posenc_highway_here hwy)
  if(NOT TARGET hwy)
    if(POSENC_ONE_TARGET AND NOT TARGET hwy::hwy)
      find_path(POSENC_HIGHWAY_INCLUDE_DIR hwy/highway.h DOC "With POSENC_ONE_TARGET: the folder that contains hwy/highway.h")
      if(POSENC_HIGHWAY_INCLUDE_DIR AND NOT EXISTS "${POSENC_HIGHWAY_INCLUDE_DIR}/hwy/highway.h")
        message(FATAL_ERROR "POSENC_HIGHWAY_INCLUDE_DIR must be a folder that contains hwy/highway.h; "
          "${POSENC_HIGHWAY_INCLUDE_DIR} does not.")
      endif()
      set(posenc_highway_installed ${POSENC_HIGHWAY_INCLUDE_DIR})
      set(posenc_highway_place ${POSENC_HIGHWAY_INCLUDE_DIR})
    else()
      if(NOT TARGET hwy::hwy)
        find_package(hwy 1.0.3 QUIET)
      endif()
      set(posenc_highway_installed hwy::hwy)
      set(posenc_highway_place ${hwy_DIR})
    endif()
    if(NOT posenc_highway_installed OR NOT (POSENC_ONE_TARGET OR TARGET hwy::hwy))
      message(FATAL_ERROR "posenc needs Highway 1.0.3 or newer: install it (Debian: libhwy-dev), or add_subdirectory "
        "its sources before posenc, or name the target that comes later, -D POSENC_HIGHWAY_TARGET=hwy. A build for one "
        "instruction set needs only Highway's headers: -D POSENC_ONE_TARGET=ON -D POSENC_HIGHWAY_INCLUDE_DIR=FOLDER, "
        "where FOLDER contains hwy/highway.h.")
    endif()
  endif()
endif()

set(posenc_highway ${posenc_highway_here})
set(posenc_highway_headers $<TARGET_PROPERTY:${posenc_highway_here},INTERFACE_INCLUDE_DIRECTORIES>)
if(posenc_highway_installed)
  set(headers_installed ${posenc_highway_installed})
  if(posenc_highway_installed STREQUAL hwy::hwy)
    set(headers_installed $<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
  if(CMAKE_VERSION VERSION_LESS 3.12)
    set(posenc_highway ${posenc_highway_installed})
    set(posenc_highway_headers ${headers_installed})
    message(STATUS "posenc: Highway of ${posenc_highway_place}")
  else()
    set(later $<TARGET_EXISTS:hwy>)
    set(posenc_highway $<${later}:hwy>$<$<NOT:${later}>:${posenc_highway_installed}>)
    set(posenc_highway_headers $<${later}:${posenc_highway_headers}>$<$<NOT:${later}>:${headers_installed}>)
    message(STATUS "posenc: Highway of ${posenc_highway_place}, unless this project has a target hwy in the end")
  endif()
else()
  message(STATUS "posenc: Highway is this project's target ${posenc_highway_here}")
endif()
if(POSENC_ONE_TARGET)  # its headers will do
  target_include_directories(posenc_highway SYSTEM INTERFACE ${posenc_highway_headers})
  # Its assertions, in debug builds, would need libhwy.
  target_compile_definitions(posenc_highway INTERFACE HWY_COMPILE_ONLY_STATIC HWY_IS_DEBUG_BUILD=0)
else()
  target_link_libraries(posenc_highway INTERFACE ${posenc_highway})
endif()
