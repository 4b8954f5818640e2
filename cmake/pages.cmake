# The pages of findings and of verdicts (docs/findings/*.md, docs/verdicts/*.md), built into rs_catalog as catalog/pages.h has them. Included while configuring, it
# adds the step of the build; run by cmake -P with -DOUT=FILE -DFINDINGS=a.md,b.md -DVERDICTS=... it writes the source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB finding_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/findings/*.md)
  file(GLOB verdict_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/verdicts/*.md)
  list(SORT finding_pages)
  list(SORT verdict_pages)
  set(out ${CMAKE_BINARY_DIR}/pages.cc)
  string(REPLACE ";" "," findings "${finding_pages}")
  string(REPLACE ";" "," verdicts "${verdict_pages}")
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DFINDINGS=${findings} -DVERDICTS=${verdicts} -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${finding_pages} ${verdict_pages} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Embedding pages of findings and verdicts" VERBATIM)
  target_sources(rs_catalog PRIVATE ${out})
  return()
endif()

# Writes NAME, an array of the pages in the files (a.md,b.md).
function(write_pages name files)
  file(APPEND ${OUT} "constexpr Page ${name}[] = {\n")
  string(REPLACE "," ";" pages "${files}")
  foreach(page ${pages})
    get_filename_component(id ${page} NAME_WE)
    file(READ ${page} text)
    file(APPEND ${OUT} "    {\"${id}\", R\"page(${text})page\"},\n")
  endforeach()
  file(APPEND ${OUT} "};\n")
endfunction()

file(WRITE ${OUT} "// Made by cmake/pages.cmake.
#include \"catalog/pages.h\"

namespace rankscope::catalog {
namespace {
")
write_pages(kFindings "${FINDINGS}")
write_pages(kVerdicts "${VERDICTS}")
file(APPEND ${OUT} "}  // namespace

std::span<const Page> FindingPages() { return kFindings; }
std::span<const Page> VerdictPages() { return kVerdicts; }

}  // namespace rankscope::catalog
")
