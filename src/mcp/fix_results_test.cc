#include "mcp/fix_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/output/json.h"

namespace rankscope::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

fix::Patches Example(std::string after) {
  fix::Patches patches;
  patches.files.push_back({.path = "a.py",
                           .before = "x\n",
                           .after = std::move(after),
                           .hunks = {{.finding = "gc-pause",
                                      .gain = "5.0%",
                                      .kind = "gc-freeze",
                                      .what = "it is frozen",
                                      .undo = "melt it",
                                      .line = 1}}});
  patches.left.push_back({.file = "b.py", .line = 2, .finding = "host-sync", .why = "not certain"});
  return patches;
}

TEST(FixResult, OfAServerIsTheSame) {
  for (const fix::Patches& patches : {Example("y\n"), Example(std::string(kMostDiffBytes, 'y'))}) {
    const json::Reader reader =
        std::move(json::Reader::Parse(fix::WriteJson(patches, "odd"))).value();
    EXPECT_EQ(json::ToJson(FixResultOf(reader.root())), json::ToJson(FixResultOf(patches, "odd")));
  }
}

TEST(FixResult, HasDiffChangesAndWhatIsLeft) {
  const FixResult result = FixResultOf(Example("y\n"), "");
  EXPECT_THAT(result.diff, HasSubstr("-x\n+y\n"));
  ASSERT_THAT(result.changes, SizeIs(1));
  EXPECT_EQ(result.changes[0].what, "it is frozen");
  EXPECT_THAT(result.left, ElementsAre("b.py:2: host-sync: not certain"));
  EXPECT_FALSE(result.nothing);
  EXPECT_FALSE(result.left_out);
}

TEST(FixResult, OfALongDiffHasNoPart) {
  const FixResult result = FixResultOf(Example(std::string(kMostDiffBytes, 'y') + "\n"), "");
  EXPECT_THAT(result.diff, IsEmpty());
  EXPECT_THAT(*result.left_out, HasSubstr("rankscope fix in a shell has all"));
}

TEST(FixResult, SaysWhyThereIsNone) {
  EXPECT_EQ(FixResultOf({}, "no patch: the job has no findings").nothing,
            "no patch: the job has no findings");
}

}  // namespace
}  // namespace rankscope::mcp
