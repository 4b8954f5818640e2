# Flags shared by every target. Baseline x86-64: wider instructions are chosen at run time.
add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                    -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 sees overflows in std::string where there are none (GCC bugs 105329 and 105651).
    add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()
# Arithmetic of the program itself wraps: a forged cache can give wrong numbers, never undefined behaviour
# (docs/architecture.md, "No folder is trusted"). UBSan still finds it: it would not with this flag.
if(NOT RANKSCOPE_SANITIZE MATCHES "undefined")
  add_compile_options(-fwrapv)
endif()
if(RANKSCOPE_SANITIZE)
  # Checks that AddressSanitizer makes as well (null) or that find nothing in code like ours (vptr, object-size) cost a
  # fifth of the compiling.
  add_compile_options(-fsanitize=${RANKSCOPE_SANITIZE} -fno-sanitize=null,vptr,object-size -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1)
  if(RANKSCOPE_SANITIZE MATCHES "undefined")
    # Whether an overflow ends the program is for each executable to say: cmake/halt_on_overflow.cc.
    add_compile_options(-fsanitize-recover=signed-integer-overflow)
  endif()
  add_link_options(-fsanitize=${RANKSCOPE_SANITIZE})
endif()

# Every executable that sanitizers look at, but for those that say otherwise.
function(rankscope_halt_on_overflow target)
  if(RANKSCOPE_SANITIZE)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/halt_on_overflow.cc)
  endif()
endfunction()
# Links in a quarter of the time of ld.bfd, of which a hundred tests and fuzz targets need one each. Optional: the program
# alone needs one link. As ld.bfd does, it keeps libraries of which only other libraries need something (libthriftnb needs
# libevent without saying so).
find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM)
  add_link_options(-fuse-ld=lld -Wl,--no-as-needed)
endif()
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Precompiled headers differ in their bytes each time that they are made: ccache takes the sum of their sources that
  # rankscope_precompile leaves beside them. Paths below the checkout count as relative, so that its clones share objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_PCH_EXTSUM=true CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${CCACHE_PROGRAM})
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
