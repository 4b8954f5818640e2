// The report as Markdown: for pull requests, tickets and assistants. GitHub's flavour: tables and
// folded details.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace rankscope {

std::string WriteMarkdownReport(const Report& report);

// Text whose characters mean nothing to Markdown or HTML. No control survives.
std::string EscapedMarkdown(std::string_view text);

}  // namespace rankscope
