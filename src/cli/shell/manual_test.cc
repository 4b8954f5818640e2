#include "cli/shell/manual.h"

#include <gmock/gmock.h>

namespace rankscope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string PageOf(const CommandSpec& app) { return ManualPage(ReadCommandTree(app, {}), "1.2"); }

TEST(Manual, SaysWhatTheCommandLineSays) {
  CommandSpec app("prog", "prog finds things.");
  CommandSpec& find = app.AddCommand("find", "look for one");
  std::string format = "text";
  std::vector<std::string> paths;
  find.AddOption("--format", format, "how to write").OneOf({"text", "json"}).ShowDefault();
  find.AddOption("PATH", paths, "where").Required();
  const std::string page = PageOf(app);
  EXPECT_THAT(page, HasSubstr(".TH PROG 1 \"\" \"prog 1.2\""));
  EXPECT_THAT(page, HasSubstr(".SH NAME\nprog \\- finds things\n"));
  EXPECT_THAT(page, HasSubstr("\\fBprog find\\fR [\\fIOPTION\\fR]... \\fIPATH\\fR...\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-format\\fR \\fITEXT\\fR\nHow to write.\nTakes "
                              "\\fBtext\\fR, \\fBjson\\fR.\nDefault: \\fBtext\\fR.\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\n.TP\n.B 0\nDone.\n"));
}

TEST(Manual, HasASectionForEachGroup) {
  CommandSpec app("prog", "");
  app.AddCommand("find", "look for one").group = "Look";
  app.AddCommand("list", "all").group = "Look";
  app.AddCommand("drop", "one").group = "Change";
  const std::string page = PageOf(app);
  const std::size_t look = page.find(".SH COMMANDS: LOOK\n.SS find\n");
  const std::size_t change = page.find(".SH COMMANDS: CHANGE\n.SS drop\n");
  ASSERT_NE(look, std::string::npos);
  ASSERT_NE(change, std::string::npos);
  EXPECT_LT(look, change);
  EXPECT_EQ(page.find(".SH COMMANDS", change + 1), std::string::npos);
}

TEST(Manual, NoTextIsARequest) {
  CommandSpec app("prog", "");
  app.Footer("Example:\n.so /etc/passwd\n'br \\n(yr");
  const std::string page = PageOf(app);
  EXPECT_THAT(page, HasSubstr("\n\\&.so /etc/passwd\n\\&\\(aqbr \\en(yr\n"));
  EXPECT_THAT(page, Not(HasSubstr("\n.so")));
}

}  // namespace
}  // namespace rankscope::cli
