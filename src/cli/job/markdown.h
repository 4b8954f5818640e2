// Formats documentation pages for a terminal of 80 columns.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::cli {

// Supports headings, paragraphs, lists with "- " and code blocks, which the pages of findings use.
// Paragraphs and items are wrapped, code is indented and unchanged, links become their text. Uses
// the marks of table/style.h.
std::string MarkdownForTerminal(std::string_view markdown);

}  // namespace rankscope::cli
