// The report as Markdown: for pull requests, tickets and assistants. GitHub's flavour: tables and
// folded details.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/base/report.h"

namespace rankscope {

std::string WriteMarkdownReport(const Report& report);

// Parts of it: what is wrong, of which job and recording; a finding, by its row of the table.
std::string MarkdownSummary(const Report& report);
std::string MarkdownOfFinding(const Report& report, std::size_t row);

// Escaped text without effect in Markdown or HTML, and without control characters.
std::string EscapedMarkdown(std::string_view text);

}  // namespace rankscope
