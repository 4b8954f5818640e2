#include "insight/pages.h"

namespace rankscope {

std::string_view PageOf(std::string_view id) {
  for (const FindingPage& page : FindingPages()) {
    if (page.id == id) return page.markdown;
  }
  return {};
}

}  // namespace rankscope
