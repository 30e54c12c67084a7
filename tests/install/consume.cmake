# Builds the program of a document in one WAY of linking, in C or C++, and compares what it prints with what the
# document says. A subproject is installed afterwards if it has a PREFIX.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The contents of the first fenced block of a language in text.
function(first_block language text result)
  string(FIND "${text}" "\n```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${DOCUMENT} has no block ${language}")
  endif()
  string(LENGTH "\n```${language}\n" fence)
  math(EXPR begin "${begin} + ${fence}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(configure_and_build)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK} -G ${GENERATOR}
      -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_C_COMPILER=${CC} -D CMAKE_BUILD_TYPE=Release
      -D LANGUAGE=${LANGUAGE} -D WAY=${WAY} -D PROGRAM=${WORK}/${program_file} -D "OPTIONS=${options}" ${ARGV})
  run(${CMAKE_COMMAND} --build ${WORK})
endfunction()

function(build_with_pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
  set(static --static)
  if(SHARED)
    set(static "")
  endif()
  execute_process(COMMAND pkg-config --cflags --libs ${static} posenc
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  separate_arguments(options UNIX_COMMAND "${options}")
  run(${compiler} ${options} ${WORK}/${program_file} ${flags} -o ${WORK}/consumer)
endfunction()

# Strict C99, or C++17 with whatever else a test wants.
if(LANGUAGE STREQUAL C)
  set(DOCUMENT docs/embedding.md)
  set(block c)
  set(program_file main.c)
  set(compiler ${CC})
  set(options "-std=c99 -pedantic -Wall -Wextra -Werror")
else()
  set(DOCUMENT README.md)
  set(block cpp)
  set(program_file main.cc)
  set(compiler ${CXX})
  set(options "-std=c++17 ${OPTIONS}")
endif()
file(REMOVE_RECURSE ${WORK})
file(READ ${SOURCE}/${DOCUMENT} document)
first_block(${block} "${document}" program)
first_block(text "${document}" expected)
file(WRITE ${WORK}/${program_file} "${program}")

if(WAY MATCHES "add_subdirectory|fetch_content")
  set(install OFF)
  if(PREFIX)
    set(install ON)
  endif()
  set(own_highway OFF)
  if(HIGHWAY_INCLUDE_DIR)
    set(own_highway ON)
  endif()
  configure_and_build(-D SOURCE=${SOURCE} -D BUILD_SHARED_LIBS=${SHARED} -D CMAKE_INSTALL_LIBDIR=${LIBDIR}
    -D POSENC_INSTALL=${install} -D POSENC_ONE_TARGET=${ONE_TARGET} -D "CMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
    -D HIGHWAY_INCLUDE_DIR=${HIGHWAY_INCLUDE_DIR} -D HIGHWAY_LIBRARY=${HIGHWAY_LIBRARY}
    -D CMAKE_DISABLE_FIND_PACKAGE_hwy=${own_highway})
  if(PREFIX)
    # Installed in one place, used in another.
    file(REMOVE_RECURSE ${PREFIX})
    run(${CMAKE_COMMAND} --install ${WORK} --prefix ${PREFIX}.unmoved)
    file(RENAME ${PREFIX}.unmoved ${PREFIX})
  endif()
elseif(WAY STREQUAL find_package)
  # The package of a shared posenc must not ask for Highway.
  configure_and_build(-D CMAKE_PREFIX_PATH=${PREFIX} -D CMAKE_DISABLE_FIND_PACKAGE_hwy=${SHARED})
elseif(WAY STREQUAL by_hand)
  separate_arguments(options UNIX_COMMAND "${options} ${CMAKE_CXX_FLAGS}")
  file(GLOB sources ${SOURCE}/src/*/*.cc)
  run(${compiler} ${options} -O2 -ffp-contract=off -DHWY_COMPILE_ONLY_STATIC -I${HIGHWAY_INCLUDE_DIR}
      -I${SOURCE}/include -I${SOURCE}/src ${WORK}/${program_file} ${sources} -o ${WORK}/consumer)
else()
  build_with_pkg_config()
endif()

set(ENV{LD_LIBRARY_PATH} ${PREFIX}/${LIBDIR})
execute_process(COMMAND ${WORK}/consumer OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "The program printed\n${printed}\nbut ${DOCUMENT} says\n${expected}")
endif()
