#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/output/json.h"
#include "fix/output/line_changes.h"
#include "fix/output/sarif.h"
#include "fix/output/unified_diff.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<LineChange> Changes(std::string_view before, std::string_view after) {
  return LineChanges(LinesOf(before), LinesOf(after));
}

TEST(LineChanges, AreTheFewest) {
  EXPECT_THAT(Changes("a\nb\nc\n", "a\nx\nc\n"), ElementsAre(LineChange{1, 1, 1, 1}));
  EXPECT_THAT(Changes("a\nb\nc\nd\n", "b\nc\ne\nd\n"),
              ElementsAre(LineChange{0, 1, 0, 0}, LineChange{3, 0, 2, 1}));
  EXPECT_THAT(Changes("", "a\n"), ElementsAre(LineChange{0, 0, 0, 1}));
  EXPECT_THAT(Changes("a\n", ""), ElementsAre(LineChange{0, 1, 0, 0}));
  EXPECT_THAT(Changes("a\n", "a\n"), IsEmpty());
}

TEST(LineChanges, OfTooManyAreOne) {
  std::string before, after;
  for (int line = 0; line < 3000; ++line) {
    before += "a" + std::to_string(line) + "\n";
    after += "b" + std::to_string(line) + "\n";
  }
  EXPECT_THAT(Changes(before, after), ElementsAre(LineChange{0, 3000, 0, 3000}));
}

TEST(UnifiedDiff, HasContextAndSharesIt) {
  EXPECT_EQ(UnifiedDiff("a.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\ny\n9\n"),
            "--- a/a.py\n+++ b/a.py\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n+y\n 9\n");
  EXPECT_EQ(UnifiedDiff("a.py", "1\n2\n3\n4\n", "0\n1\n2\n3\n", 0),
            "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+0\n@@ -4 +4,0 @@\n-4\n");
}

TEST(UnifiedDiff, SaysThatALastLineHasNoEnd) {
  EXPECT_EQ(UnifiedDiff("a.py", "1", "2\n"),
            "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+2\n");
}

TEST(UnifiedDiff, EndsANameWithABlankByATab) {
  EXPECT_THAT(UnifiedDiff("a b.py", "1\n", "2\n"), HasSubstr("--- a/a b.py\t\n+++ b/a b.py\t\n"));
}

Patches Example() {
  Patches patches;
  patches.files.push_back({.path = "src/a b.py",
                           .before = "x\ny\n",
                           .after = "x\nz\n",
                           .hunks = {{.finding = "host-sync",
                                      .gain = "5.0%",
                                      .kind = "print-seldom",
                                      .what = "it is printed every 50th step",
                                      .undo = "move it back",
                                      .line = 2}}});
  patches.left.push_back({.file = "b.py", .line = 3, .finding = "gc-pause", .why = "not certain"});
  return patches;
}

TEST(WriteDiff, SaysWhatAndHowToUndoBeforeTheHunks) {
  EXPECT_EQ(WriteDiff(Example()),
            "# src/a b.py:2: host-sync (5.0%): it is printed every 50th step\n"
            "#     to undo: move it back\n"
            "--- a/src/a b.py\t\n+++ b/src/a b.py\t\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n");
  EXPECT_EQ(LeftWords(Example().left[0]), "b.py:3: gc-pause: not certain");
}

TEST(WriteDiff, TellsAChangeOnceForAllThatAskForIt) {
  Patches patches = Example();
  patches.files[0].hunks.push_back(patches.files[0].hunks[0]);
  patches.files[0].hunks[1].finding = "launch-bound";
  patches.files[0].hunks[1].gain = "";
  EXPECT_THAT(WriteDiff(patches),
              testing::StartsWith("# src/a b.py:2: host-sync (5.0%), launch-bound: it is printed "
                                  "every 50th step\n#     to undo: move it back\n--- a/"));
}

TEST(WriteSarif, HasPlacesAndReplacements) {
  const std::string sarif = WriteSarif(Example(), "1.2.3");
  for (const char* part :
       {R"("version":"2.1.0")", R"("uri":"src/a%20b.py")", R"("startLine":2})",
        R"("deletedRegion":{"startLine":2,"startColumn":1,"endLine":3,"endColumn":1})",
        R"("insertedContent":{"text":"z\n"})", R"("ruleId":"gc-pause","level":"note")",
        R"("id":"host-sync")"})
    EXPECT_THAT(sarif, HasSubstr(part));
}

TEST(WriteJson, HasChangesAndWhatIsLeft) {
  const std::string json = WriteJson(Example(), "");
  for (const char* part :
       {R"({"schema":"rankscope.fix/1","diff":"# src/a b.py:2: )",
        R"("changes":[{"file":"src/a b.py","line":2,"finding":"host-sync","gain":"5.0%",)"
        R"("kind":"print-seldom","what":"it is printed every 50th step","undo":"move it back"}])",
        R"("left":[{"file":"b.py","line":3,"finding":"gc-pause","why":"not certain"}])",
        R"("nothing":null)"})
    EXPECT_THAT(json, HasSubstr(part));
  Patches none;
  none.left.push_back({.file = "", .line = 0, .finding = "", .why = "odd"});
  EXPECT_THAT(WriteJson(none, "no patch"),
              HasSubstr(R"("left":[{"file":null,"line":null,"finding":null,"why":"odd"}],)"
                        R"("nothing":"no patch"})"));
}

}  // namespace
}  // namespace rankscope::fix
