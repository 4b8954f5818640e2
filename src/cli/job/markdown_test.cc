#include "cli/job/markdown.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/utf8.h"
#include "catalog/pages.h"
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

void ExpectFitting(const catalog::Page& page) {
  std::istringstream lines(Resolve(MarkdownForTerminal(page.markdown), false));
  for (std::string line; std::getline(lines, line);) {
    // Code is copied, so it is never broken.
    EXPECT_LE(CountCodePoints(line), line.starts_with("      ") ? 82u : 80u) << page.id;
    EXPECT_EQ(line.find("```"), std::string::npos);
    EXPECT_EQ(line.find("]("), std::string::npos);
    EXPECT_TRUE(line.empty() || line.back() != ' ') << page.id;
  }
}

TEST(Markdown, PagesFitATerminal) {
  for (const std::span<const catalog::Page> pages :
       {catalog::FindingPages(), catalog::VerdictPages()}) {
    EXPECT_FALSE(pages.empty());
    for (const catalog::Page& page : pages) ExpectFitting(page);
  }
}

}  // namespace
}  // namespace rankscope::cli
