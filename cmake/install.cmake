# cmake --install: the program and DuckDB, relocatable: libraries are found from where the program lies. packaging/package.sh adds
# the rest. As DT_RPATH, not DT_RUNPATH: it holds for what DuckDB needs, too, and another libstdc++ on LD_LIBRARY_PATH, as
# Python environments set it, does not come first.
foreach(program rankscope rankscope-agent)
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
  set_target_properties(${program} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN:$ORIGIN/../lib")
endforeach()
install(TARGETS rankscope RUNTIME DESTINATION bin)
# The daemon of hosts has packages of its own: cmake --install BUILD --component agent.
install(TARGETS rankscope-agent RUNTIME DESTINATION bin COMPONENT agent EXCLUDE_FROM_ALL)
install(FILES ${DUCKDB_ROOT}/libduckdb.so DESTINATION lib)

# The library for C and Python: cmake --install BUILD --component library. The packages do not have it yet.
set(of_library COMPONENT library EXCLUDE_FROM_ALL)
install(TARGETS librankscope LIBRARY DESTINATION lib ${of_library})
install(FILES ${DUCKDB_ROOT}/libduckdb.so DESTINATION lib ${of_library})
install(FILES ${CMAKE_SOURCE_DIR}/src/capi/rankscope.h DESTINATION include ${of_library})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/rankscope DESTINATION lib/python3/dist-packages ${of_library}
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# The recorders of services (docs/record-requests.md), which need nothing of the above: cmake --install BUILD --component recorder.
set(of_recorder COMPONENT recorder EXCLUDE_FROM_ALL)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/recorder/include/rankscope DESTINATION include ${of_recorder})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/rankscope_requests DESTINATION lib/python3/dist-packages ${of_recorder}
        FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
