#include "cli/markdown.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/utf8.h"
#include "catalog/findings.h"
#include "table/style.h"

namespace rankscope::cli {
namespace {

TEST(Markdown, IsLaidOutForATerminal) {
  const std::string text = Resolve(MarkdownForTerminal("# host-sync\n"
                                                       "\n"
                                                       "The host\nwaits, see [a.md](../a.md).\n"
                                                       "\n"
                                                       "## What to change\n"
                                                       "\n"
                                                       "Do:\n"
                                                       "\n"
                                                       "```python\n"
                                                       "# not a heading\n"
                                                       "\n"
                                                       "if x:   y()\n"
                                                       "```\n"
                                                       "\n"
                                                       "- `one`: first\n"
                                                       "  goes on\n"
                                                       "- two\n"),
                                   false);
  EXPECT_EQ(text,
            "host-sync\n"
            "  The host waits, see a.md.\n"
            "\n"
            "What to change\n"
            "  Do:\n"
            "\n"
            "      # not a heading\n"
            "\n"
            "      if x:   y()\n"
            "\n"
            "  - `one`: first goes on\n"
            "  - two\n");
}

TEST(Markdown, PagesFitATerminal) {
  const std::span<const FindingEntry> findings = catalog::AllFindings();
  ASSERT_FALSE(findings.empty());
  for (const FindingEntry& finding : findings) {
    const Result<std::string_view> page = catalog::PageOfFinding(finding.id);
    ASSERT_TRUE(page.ok()) << finding.id;
    std::istringstream lines(Resolve(MarkdownForTerminal(*page), false));
    for (std::string line; std::getline(lines, line);) {
      // Code is copied, so it is never broken.
      EXPECT_LE(CountCodePoints(line), line.starts_with("      ") ? 82u : 80u) << finding.id;
      EXPECT_EQ(line.find("```"), std::string::npos);
      EXPECT_EQ(line.find("]("), std::string::npos);
      EXPECT_TRUE(line.empty() || line.back() != ' ') << finding.id;
    }
  }
}

}  // namespace
}  // namespace rankscope::cli
