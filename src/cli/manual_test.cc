#include "cli/manual.h"

#include <gmock/gmock.h>

namespace rankscope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string PageOf(const CLI::App& app) { return ManualPage(ReadCommandTree(app, {}), "1.2"); }

TEST(Manual, SaysWhatTheCommandLineSays) {
  CLI::App app("prog finds things.", "prog");
  auto* find = app.add_subcommand("find", "look for one");
  std::string format = "text";
  std::vector<std::string> paths;
  find->add_option("--format", format, "how to write")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  find->add_option("PATH", paths, "where")->required();
  const std::string page = PageOf(app);
  EXPECT_THAT(page, HasSubstr(".TH PROG 1 \"\" \"prog 1.2\""));
  EXPECT_THAT(page, HasSubstr(".SH NAME\nprog \\- finds things\n"));
  EXPECT_THAT(page, HasSubstr("\\fBprog find\\fR [\\fIOPTION\\fR]... \\fIPATH\\fR...\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-format\\fR \\fITEXT\\fR\nHow to write.\nTakes "
                              "\\fBtext\\fR, \\fBjson\\fR.\nDefault: \\fBtext\\fR.\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\n.TP\n.B 0\nDone.\n"));
}

TEST(Manual, NoTextIsARequest) {
  CLI::App app("", "prog");
  app.footer("Example:\n.so /etc/passwd\n'br \\n(yr");
  const std::string page = PageOf(app);
  EXPECT_THAT(page, HasSubstr("\n\\&.so /etc/passwd\n\\&\\(aqbr \\en(yr\n"));
  EXPECT_THAT(page, Not(HasSubstr("\n.so")));
}

}  // namespace
}  // namespace rankscope::cli
