// The page of every finding and of every verdict on recordings: docs/findings/<id>.md and
// docs/verdicts/<id>.md, embedded into the program by cmake/pages.cmake.
#pragma once

#include <span>
#include <string_view>

namespace rankscope::catalog {

struct Page {
  std::string_view id;
  std::string_view markdown;
};

// Sorted by id.
std::span<const Page> FindingPages();
std::span<const Page> VerdictPages();

// "" if no page has that id.
std::string_view PageOf(std::string_view id, std::span<const Page> pages);

// The sentence below the title: "One step was recorded."
std::string_view FirstSentence(const Page& page);

}  // namespace rankscope::catalog
