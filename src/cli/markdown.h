// Pages of the documentation, made fit for a terminal of 80 columns.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::cli {

// Headings, paragraphs, lists of "- " and blocks of code, which is what the pages of findings have.
// Paragraphs and items are wrapped, code is indented and stays as it is, links leave their text.
// With the marks of table/style.h.
std::string MarkdownForTerminal(std::string_view markdown);

}  // namespace rankscope::cli
