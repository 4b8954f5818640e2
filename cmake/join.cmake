# Sources of a module that are compiled several at a time: what they include is read, and what they instantiate is made, once
# for all of them, which takes half the time. So what is private to a file (anonymous namespaces) has a name that no other file
# of the module gives to something else.
option(RANKSCOPE_JOIN "Compile sources of a module several at a time; off also finds files that do not include what they use" ON)

# rankscope_join_sources(VARIABLE): puts generated files, each of which includes some of the sources, in place of the
# sources in VARIABLE. Where one ends is told by the names of its files: a new file changes its own and seldom the next.
function(rankscope_join_sources variable)
  if(NOT RANKSCOPE_JOIN)
    return()
  endif()
  set(joined "")
  set(text "")
  set(count 0)
  foreach(source ${${variable}})
    file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    string(APPEND text "#include \"${path}\"\n")
    math(EXPR count "${count} + 1")
    if(count EQUAL 1)
      string(MAKE_C_IDENTIFIER ${path} first)
    endif()
    string(MD5 hash ${path})
    if(hash MATCHES "^[0-2]" AND count GREATER 5 OR count EQUAL 16)
      rankscope_write_joined(${first} "${text}" joined)
      set(text "")
      set(count 0)
    endif()
  endforeach()
  if(count GREATER 0)
    rankscope_write_joined(${first} "${text}" joined)
  endif()
  set(${variable} ${joined} PARENT_SCOPE)
endfunction()

function(rankscope_write_joined first text files)
  set(path ${CMAKE_BINARY_DIR}/joined/${first}.cc)
  file(CONFIGURE OUTPUT ${path} CONTENT "${text}" @ONLY)
  set(${files} ${${files}} ${path} PARENT_SCOPE)
endfunction()

# A class of one file may have members of that file's private types, which g++ would rather have in the main file alone.
function(rankscope_compile_joined target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
