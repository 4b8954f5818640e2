#include "fix/fix.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/file.h"

#include "fix/all_kinds.h"
#include "fix/output/unified_diff.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> LeftOf(const Patches& patches) {
  std::vector<std::string> words;
  for (const Left& left : patches.left) words.push_back(LeftWords(left));
  return words;
}

TEST(AllKinds, HaveNamesOfTheirOwnAndWords) {
  std::set<std::string_view> names;
  for (const Kind* kind : AllKinds()) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
    EXPECT_FALSE(kind->findings.empty() || kind->looks_for.empty() || kind->writes.empty() ||
                 kind->undo.empty())
        << kind->name;
  }
  EXPECT_TRUE(IsAnswered("host-sync"));
  EXPECT_FALSE(IsAnswered("slow-gpu"));
}

std::string TableOfKinds() {
  std::string table = "| kind | for | looks for | writes |\n|---|---|---|---|\n";
  for (const Kind* kind : AllKinds()) {
    std::string findings;
    for (const std::string_view id : kind->findings)
      findings += fmt::format("{}`{}`", findings.empty() ? "" : ", ", id);
    table += fmt::format("| `{}` | {} | {} | {}; to undo: {} |\n", kind->name, findings,
                         kind->looks_for, kind->writes, kind->undo);
  }
  return table;
}

TEST(AllKinds, StandInTheDocuments) {
  const char* const source = std::getenv("RANKSCOPE_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "ctest sets RANKSCOPE_SOURCE_DIR";
  const auto page = ReadFile(std::string(source) + "/docs/fix.md");
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr(TableOfKinds()));
}

Request ForFix(std::vector<std::string> ids, std::vector<RecordedLine> lines = {}) {
  Request request;
  for (std::string& id : ids)
    request.findings.push_back({.id = std::move(id), .gain = "1.0%", .lines = lines});
  return request;
}

TEST(MakePatches, BuildsOneKindOnAnother) {
  const Patches patches =
      MakePatches(ForFix({"pageable-copy", "data-starvation"}), {{"a.py", R"(import torch
loader = torch.utils.data.DataLoader(d, shuffle=True)
for x in loader:
    x = x.to(device)
    model(x).backward()
)"}});
  ASSERT_THAT(patches.files, SizeIs(1));
  EXPECT_THAT(patches.files[0].after,
              HasSubstr("shuffle=True, num_workers=4, prefetch_factor=4, persistent_workers=True, "
                        "pin_memory=True)"));
  EXPECT_THAT(patches.files[0].after, HasSubstr("x.to(device, non_blocking=True)"));
  // The finding that asked first has the change; both stand at the line of the file as it was.
  ASSERT_THAT(patches.files[0].hunks, SizeIs(3));
  EXPECT_EQ(patches.files[0].hunks[1].finding, "pageable-copy");
  EXPECT_EQ(patches.files[0].hunks[2].line, 4);
  EXPECT_THAT(patches.left, IsEmpty());
}

TEST(MakePatches, LinesAreThoseOfTheFileAsItWas) {
  const Patches patches =
      MakePatches(ForFix({"allocator-thrash", "gc-pause"}), {{"a.py", R"(import torch

for x in d:
    x.backward()
)"}});
  ASSERT_THAT(patches.files, SizeIs(1));
  EXPECT_EQ(patches.files[0].after, R"(import os
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
import torch
import gc

gc.collect()
gc.freeze()
for x in d:
    x.backward()
)");
  ASSERT_THAT(patches.files[0].hunks, SizeIs(2));
  EXPECT_EQ(patches.files[0].hunks[0].line, 1);
  EXPECT_EQ(patches.files[0].hunks[1].line, 3);
}

TEST(MakePatches, FindsFilesByTheEndOfTheirPath) {
  const std::string program = R"(import torch
s = 0.0
for x in d:
    x.backward()
    s += x.item()
)";
  const Patches patches = MakePatches(ForFix({"host-sync"}, {{"/home/me/job/one/train.py", 5}}),
                                      {{"one/train.py", program}, {"two/train.py", program}});
  ASSERT_THAT(patches.files, SizeIs(1));
  EXPECT_EQ(patches.files[0].path, "one/train.py");
}

TEST(MakePatches, SaysWhatStacksShowAndNobodyMends) {
  const Patches patches = MakePatches(
      ForFix({"host-sync"}, {{"/job/a.py", 2}, {"/job/other.py", 7}, {"/x/site-packages/a.py", 1}}),
      {{"a.py", "import torch\nx.item()\n"}});
  EXPECT_THAT(patches.files, IsEmpty());
  EXPECT_THAT(
      LeftOf(patches),
      ElementsAre("a.py:2: host-sync: no patch is certain here; rankscope explain host-sync "
                  "says what helps",
                  HasSubstr("/job/other.py:7: host-sync: stacks show this line, which is not"),
                  HasSubstr("/x/site-packages/a.py:1: ")));
}

TEST(MakePatches, SaysWhatIsNoPython) {
  const Patches patches = MakePatches(ForFix({"host-sync"}), {{"a.py", "import torch\nx = = 1\n"},
                                                              {"b.py", "torch \xFF\xFE"},
                                                              {"c.py", std::string("torch\0", 6)}});
  EXPECT_THAT(
      LeftOf(patches),
      ElementsAre("a.py: not looked at: line 2 is not Python as this program knows it",
                  "b.py: not looked at: it is not UTF-8", "c.py: not looked at: it is not UTF-8"));
}

TEST(MakePatches, LeavesFindingsThatNoCodeMends) {
  const Patches patches =
      MakePatches(ForFix({"slow-gpu"}, {{"a.py", 1}}), {{"a.py", "import torch\n"}});
  EXPECT_THAT(patches.files, IsEmpty());
  EXPECT_THAT(patches.left, IsEmpty());
}

}  // namespace
}  // namespace rankscope::fix
