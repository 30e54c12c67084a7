# Builds the README's program in one WAY of linking and compares what it prints with the README.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The contents of the first fenced block of a language in text.
function(first_block language text result)
  string(FIND "${text}" "\n```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "README.md has no block ${language}")
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
      -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release -D PROGRAM=${WORK}/main.cc ${ARGV})
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
  run(${COMPILER} -std=c++17 ${WORK}/main.cc ${flags} -o ${WORK}/consumer)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(READ ${SOURCE}/README.md readme)
first_block(cpp "${readme}" program)
first_block(text "${readme}" expected)
file(WRITE ${WORK}/main.cc "${program}")

if(WAY STREQUAL add_subdirectory)
  configure_and_build(-D SOURCE=${SOURCE} -D BUILD_SHARED_LIBS=${SHARED} -D POSENC_INSTALL=ON
    -D CMAKE_INSTALL_LIBDIR=${LIBDIR})
  run(${CMAKE_COMMAND} --install ${WORK} --prefix ${PREFIX})
elseif(WAY STREQUAL find_package)
  # The package of a shared posenc must not ask for Highway.
  configure_and_build(-D CMAKE_PREFIX_PATH=${PREFIX} -D CMAKE_DISABLE_FIND_PACKAGE_hwy=${SHARED})
else()
  build_with_pkg_config()
endif()

set(ENV{LD_LIBRARY_PATH} ${PREFIX}/${LIBDIR})
execute_process(COMMAND ${WORK}/consumer OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "The program printed\n${printed}\nbut README.md says\n${expected}")
endif()
