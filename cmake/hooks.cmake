# The Python files that time and record programs, embedded in rs_rerun (src/rerun/hooks.h).
set(hooks_root ${CMAKE_SOURCE_DIR}/python/rankscope_hooks)
file(GLOB_RECURSE hook_files CONFIGURE_DEPENDS RELATIVE ${hooks_root} ${hooks_root}/*.py)
set(hooks_source ${CMAKE_BINARY_DIR}/made/hook_files.cc)
list(TRANSFORM hook_files PREPEND ${hooks_root}/ OUTPUT_VARIABLE hook_paths)
string(REPLACE ";" "," hook_names "${hook_files}")
add_custom_command(OUTPUT ${hooks_source}
  COMMAND ${CMAKE_COMMAND} -DROOT=${hooks_root} -DFILES=${hook_names} -DOUT=${hooks_source} -P ${CMAKE_SOURCE_DIR}/cmake/embed_hooks.cmake
  DEPENDS ${hook_paths} ${CMAKE_SOURCE_DIR}/cmake/embed_hooks.cmake
  COMMENT "Embedding the hooks for Python programs" VERBATIM)
target_sources(rs_rerun PRIVATE ${hooks_source})
