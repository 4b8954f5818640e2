# cmake --install: the program and DuckDB, relocatable: libraries are found from where the program lies. packaging/package.sh adds
# the rest. As DT_RPATH, not DT_RUNPATH: it holds for what DuckDB needs, too, and another libstdc++ on LD_LIBRARY_PATH, as
# Python environments set it, does not come first.
target_link_options(rankscope PRIVATE -Wl,--disable-new-dtags)
set_target_properties(rankscope PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN:$ORIGIN/../lib")
install(TARGETS rankscope RUNTIME DESTINATION bin)
install(FILES ${DUCKDB_ROOT}/libduckdb.so DESTINATION lib)
