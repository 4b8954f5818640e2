# The scripts and styles of the pages of one file (report, diff, memory, serving) and of the server's app: built from web/ by Vite, whose packages `./dev setup` gets, and
# embedded in rs_report. Build folders of this tree share build/web, so that one run of Vite serves all of them.
find_program(NODE_PROGRAM NAMES node nodejs REQUIRED)
set(WEB_ROOT ${CMAKE_SOURCE_DIR}/web)
if(NOT EXISTS ${WEB_ROOT}/node_modules/vite)
  message(FATAL_ERROR "web/node_modules is missing: run ./dev setup")
endif()

# The types of the server's API, which pages and their tests import by the name @made/api_types (tsconfig.json, aliases.js).
set(api_types ${CMAKE_SOURCE_DIR}/build/made/api_types.ts)
file(MAKE_DIRECTORY ${CMAKE_SOURCE_DIR}/build/made)
add_custom_command(OUTPUT ${api_types} COMMAND api_types ${api_types} DEPENDS api_types COMMENT "Making the types of the API for web/" VERBATIM)

set(web_out ${CMAKE_BINARY_DIR}/html_assets)
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${WEB_ROOT}/src/*)
set(web_files report.js report.css diff.js diff.css memory.js memory.css serving.js serving.css app.js app.css)
list(TRANSFORM web_files PREPEND ${web_out}/)
add_custom_command(OUTPUT ${web_files}
  COMMAND ${NODE_PROGRAM} ${WEB_ROOT}/build.js ${web_out} ${CMAKE_SOURCE_DIR}/build/web
  DEPENDS ${web_sources} ${api_types} ${WEB_ROOT}/build.js ${WEB_ROOT}/aliases.js ${WEB_ROOT}/package-lock.json ${WEB_ROOT}/tsconfig.json
  COMMENT "Building the pages of web/" VERBATIM)

function(embed name file)
  set(out ${web_out}/${name}.cc)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOUT=${out} -DFILE=${web_out}/${file} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${web_out}/${file} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(rs_report PRIVATE ${out})
endfunction()

embed(ReportScript report.js)
embed(ReportStyle report.css)
embed(DiffScript diff.js)
embed(DiffStyle diff.css)
embed(MemoryScript memory.js)
embed(MemoryStyle memory.css)
embed(ServingScript serving.js)
embed(ServingStyle serving.css)
embed(AppScript app.js)
embed(AppStyle app.css)
