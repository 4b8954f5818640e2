#include "report/documents/notebook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/base/report_for_test.h"

namespace rankscope {
namespace {

using report_for_test::MakeFindings;
using report_for_test::WithFindings;
using report_for_test::WithoutFinding;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Notebook, OpensTheJobAndTellsEachFinding) {
  const std::string text = WriteNotebook(
      WithFindings(MakeFindings()),
      {.paths = {"/data/a b/traces"}, .choices = {{"ranks", "\"0-3\""}, {"no_cache", "True"}}});
  EXPECT_THAT(text, HasSubstr(R"("nbformat":4,"nbformat_minor":5)"));
  EXPECT_THAT(text,
              HasSubstr(R"([\"/data/a b/traces\"],\n    ranks=\"0-3\",\n    no_cache=True,)"));
  EXPECT_THAT(text, HasSubstr("### slow-gpu ("));
  EXPECT_THAT(text, HasSubstr(R"(evidence(findings[\"slow-gpu\"]))"));
  EXPECT_THAT(text, HasSubstr(R"(rerun(command, \"after-slow-gpu\", environment))"));
  EXPECT_THAT(text, HasSubstr("cure:finding=slow-gpu"));
}

TEST(Notebook, WithoutAFindingThereIsNothingToChange) {
  const std::string text = WriteNotebook(WithoutFinding(), {.paths = {"/traces"}, .choices = {}});
  EXPECT_THAT(text, HasSubstr("No cause was found"));
  EXPECT_THAT(text, Not(HasSubstr("rerun(command, \\\"")));
  EXPECT_THAT(text, Not(HasSubstr("whatif")));
  EXPECT_THAT(text, HasSubstr("job.report()"));
}

TEST(Notebook, TextsAreLiteralsOfPython) {
  EXPECT_EQ(PythonText("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(PythonText("größe"), "\"größe\"");
}

}  // namespace
}  // namespace rankscope
