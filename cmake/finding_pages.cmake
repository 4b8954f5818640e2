# The pages of findings (docs/findings/*.md), built into rs_catalog as catalog/finding_pages.h has them. Included while configuring, it adds
# the step of the build; run by cmake -P with -DOUT=FILE -DPAGES=a.md,b.md it writes the source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB finding_pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/findings/*.md)
  list(SORT finding_pages)
  set(out ${CMAKE_BINARY_DIR}/finding_pages.cc)
  string(REPLACE ";" "," pages "${finding_pages}")
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DPAGES=${pages} -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${finding_pages} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Embedding pages of findings" VERBATIM)
  target_sources(rs_catalog PRIVATE ${out})
  return()
endif()

file(WRITE ${OUT} "// Made by cmake/finding_pages.cmake.
#include \"catalog/finding_pages.h\"

namespace rankscope::catalog {
namespace {
constexpr FindingPage kPages[] = {
")
string(REPLACE "," ";" pages "${PAGES}")
foreach(page ${pages})
  get_filename_component(id ${page} NAME_WE)
  file(READ ${page} text)
  file(APPEND ${OUT} "    {\"${id}\", R\"page(${text})page\"},\n")
endforeach()
file(APPEND ${OUT} "};
}  // namespace

std::span<const FindingPage> FindingPages() { return kPages; }

}  // namespace rankscope::catalog
")
