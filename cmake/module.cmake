# rankscope_module(NAME SEES module... LIBS library... TEST_SEES module...)
#
# One folder, one target, one explicit list of the modules whose headers it may include. Every module is published through an
# include root of its own (build/include/<module>/<module> is a link to src/<module>), and a target gets the roots it lists and
# no others, so an include that the list does not allow does not compile.
#
# TEST_SEES is what only its tests see. Sources are every *.cc of the folder; *_test.cc become <module>_test, run by ctest
# with the label "unit" and built by the target unit_tests. COLD is for modules whose speed nobody notices: they, and all
# tests, are compiled with -O1, which takes a fifth less time. Sources are compiled several at a time (join.cmake), but for
# those of modules that are APART: formats, which reads events 3% slower when joined (docs/performance.md), device, each of
# whose drivers has the names of its library, and snoop, which is made of other files where no BPF can be compiled.
function(rankscope_module name)
  cmake_parse_arguments(ARG "APART;COLD" "" "SEES;LIBS;TEST_SEES" ${ARGN})
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${dir} ${root}/${name} SYMBOLIC)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|main)\\.cc$")

  if(NOT sources)
    return()
  endif()
  if(NOT ARG_APART)
    rankscope_join_sources(sources)
  endif()
  add_library(rs_${name} STATIC ${sources})
  rankscope_see(rs_${name} ${name} ${ARG_SEES})
  target_link_libraries(rs_${name} PRIVATE ${ARG_LIBS})
  rankscope_for_shared_library(rs_${name})
  if(ARG_COLD)
    rankscope_compile_quickly(rs_${name})
  endif()
  rankscope_precompile(rs_${name})
  rankscope_compile_joined(rs_${name})

  if(tests AND RANKSCOPE_TESTS)
    if(NOT ARG_APART)
      rankscope_join_sources(tests)
    endif()
    add_executable(${name}_test ${tests})
    rankscope_see(${name}_test ${name} ${ARG_SEES} ${ARG_TEST_SEES})
    target_link_libraries(${name}_test PRIVATE rs_${name} ${ARG_LIBS} GTest::gmock GTest::gtest GTest::gtest_main)
    rankscope_precompile(${name}_test TEST)
    rankscope_compile_test(${name}_test)
    rankscope_compile_joined(${name}_test)
    rankscope_halt_on_overflow(${name}_test)
    add_dependencies(unit_tests ${name}_test)
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS unit
      ENVIRONMENT "RANKSCOPE_SOURCE_DIR=${CMAKE_SOURCE_DIR};RANKSCOPE_BINARY_DIR=${CMAKE_BINARY_DIR}")
  endif()
endfunction()

# Modules are linked into programs and into librankscope.so alike. Hidden symbols are called as directly as in a program, so that
# nobody pays for that.
function(rankscope_for_shared_library target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Under sanitizers a test itself is compiled in half the time without optimising, and is not what libFuzzer looks at.
function(rankscope_compile_test target)
  rankscope_compile_quickly(${target})
  if(RANKSCOPE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(RANKSCOPE_FUZZ)
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()

# The last -O counts. With -O1 g++ sees values that may be missing where they are not.
function(rankscope_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endfunction()

# Gives a target the include roots of the listed modules and links those that have code.
function(rankscope_see target)
  foreach(module ${ARGN})
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/include/${module})
    if(NOT target STREQUAL "rs_${module}")
      target_link_libraries(${target} PUBLIC $<TARGET_NAME_IF_EXISTS:rs_${module}>)
    endif()
  endforeach()
endfunction()
