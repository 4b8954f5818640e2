# The HTML report's scripts and styles, built into rs_report: the page's own files and uPlot, which `./dev setup` fetches.
set(UPLOT_ROOT ${CMAKE_SOURCE_DIR}/third_party/uplot)
if(NOT EXISTS ${UPLOT_ROOT}/uPlot.iife.min.js)
  message(FATAL_ERROR "third_party/uplot is missing: run ./dev setup")
endif()

set(page ${CMAKE_CURRENT_SOURCE_DIR}/report/html)
file(GLOB sections CONFIGURE_DEPENDS ${page}/sections/*.js)
set(page_style theme page summary finding plot table print)
list(TRANSFORM page_style REPLACE "(.+)" "${page}/\\1.css")
# In an order in which what a file runs at once stands before it; functions may be used anywhere.
set(page_script data format dom redraw theme tooltip text_width data_table section vocabulary selection evidence axes tiles share_bar stacked_bars heat_map line_chart range_table frame_tree flame_graph log_plot roofline_plot bandwidth_plot time_view timeline_plot)
list(TRANSFORM page_script REPLACE "(.+)" "${page}/\\1.js")
list(APPEND page_script ${sections} ${page}/main.js)
# The page of two jobs, of the same parts.
set(diff_script data format dom redraw theme tooltip text_width data_table section vocabulary selection frame_tree flame_graph tiles diff/side_bars diff/diff_flames diff/diff_sections diff/diff_main)
list(TRANSFORM diff_script REPLACE "(.+)" "${page}/\\1.js")

# The page of a memory snapshot, of the same parts.
set(memory_script data format dom redraw theme tooltip text_width data_table section vocabulary selection axes tiles time_view memory/allocation_colours memory/allocation_timeline memory/category_timeline memory/segment_map memory/memory_sections memory/memory_main)
list(TRANSFORM memory_script REPLACE "(.+)" "${page}/\\1.js")

# embed(NAME FILES file... [HEAD file]); HEAD stands in a comment.
function(embed name)
  cmake_parse_arguments(ARG "" "HEAD" "FILES" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/html_assets/${name}.cc)
  string(REPLACE ";" "," files "${ARG_FILES}")
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOUT=${out} -DFILES=${files} -DHEAD=${ARG_HEAD}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARG_FILES} ${ARG_HEAD} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(rs_report PRIVATE ${out})
endfunction()

embed(PageStyle FILES ${page_style})
embed(PageScript FILES ${page_script})
embed(DiffScript FILES ${diff_script})
embed(MemoryStyle FILES ${page}/memory/memory.css)
embed(MemoryScript FILES ${memory_script})
embed(PlotStyle FILES ${UPLOT_ROOT}/uPlot.min.css)
embed(PlotScript FILES ${UPLOT_ROOT}/uPlot.iife.min.js HEAD ${UPLOT_ROOT}/LICENSE)
