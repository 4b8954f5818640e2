#include "catalog/finding_pages.h"

namespace rankscope::catalog {

std::string_view PageOf(std::string_view id) {
  for (const FindingPage& page : FindingPages()) {
    if (page.id == id) return page.markdown;
  }
  return {};
}

}  // namespace rankscope::catalog
