# build/bin/librankscope.so.1: the C interface (src/capi) and all that it is made of, for other languages. It exports the functions
# of rankscope.h and nothing else (rankscope.map), and finds DuckDB beside itself, whoever loads it.
add_library(librankscope SHARED $<TARGET_OBJECTS:rs_capi>
            ${CMAKE_SOURCE_DIR}/packaging/library_runtime/condition_wait.cc)
rankscope_see(librankscope capi app catalog report)
target_link_libraries(librankscope PRIVATE fmt::fmt)
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/capi/rankscope.map)
target_link_options(librankscope PRIVATE -Wl,--version-script=${exports} -Wl,--disable-new-dtags)
if(NOT RANKSCOPE_SANITIZE)
  # What is missing is to be found here and not by who loads it. The runtimes of sanitizers come with the program.
  target_link_options(librankscope PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(librankscope PROPERTIES
  OUTPUT_NAME rankscope
  SOVERSION 1
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
  LINK_DEPENDS ${exports}
  LINKER_LANGUAGE CXX
  BUILD_WITH_INSTALL_RPATH ON
  INSTALL_RPATH "$ORIGIN")

# The Python package lies in python/ and needs no building; build/python is where it finds the library of this build.
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/python ${CMAKE_BINARY_DIR}/python SYMBOLIC)
