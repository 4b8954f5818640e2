#include "catalog/pages.h"

namespace rankscope::catalog {

std::string_view PageOf(std::string_view id, std::span<const Page> pages) {
  for (const Page& page : pages) {
    if (page.id == id) return page.markdown;
  }
  return {};
}

std::string_view FirstSentence(const Page& page) {
  constexpr std::string_view kBetween = "\n\n";
  const std::size_t title = page.markdown.find(kBetween);
  if (title == std::string_view::npos) return {};
  const std::string_view text = page.markdown.substr(title + kBetween.size());
  return text.substr(0, text.find(kBetween));
}

}  // namespace rankscope::catalog
