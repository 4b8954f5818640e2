// The page of every finding and of every verdict on recordings: docs/findings/<id>.md and
// docs/verdicts/<id>.md, built into the program by cmake/pages.cmake.
#pragma once

#include <span>
#include <string_view>

namespace rankscope::catalog {

struct Page {
  std::string_view id;
  std::string_view markdown;
};

// By id, ascending.
std::span<const Page> FindingPages();
std::span<const Page> VerdictPages();

// "" when there is none of that id.
std::string_view PageOf(std::string_view id, std::span<const Page> pages);

// What stands below the title: "One step was recorded."
std::string_view FirstSentence(const Page& page);

}  // namespace rankscope::catalog
