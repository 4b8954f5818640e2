// The page of every finding: docs/findings/<id>.md, built into the program by
// cmake/finding_pages.cmake.
#pragma once

#include <span>
#include <string_view>

namespace rankscope::catalog {

struct FindingPage {
  std::string_view id;
  std::string_view markdown;
};

// By id, ascending.
std::span<const FindingPage> FindingPages();
// "" when there is none.
std::string_view PageOf(std::string_view id);

}  // namespace rankscope::catalog
