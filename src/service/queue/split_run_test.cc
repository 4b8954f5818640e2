#include "service/queue/split_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::service {
namespace {

using SplitRunStoredRun = store::Run;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

SplitRunStoredRun RunOfFiles(const std::vector<std::string>& names) {
  SplitRunStoredRun run;
  run.id = "00112233445566aa";
  run.key = "of its sender";
  run.name = "sweep";
  run.tags["lr"] = "3";
  run.state = store::RunState::kAnalysing;
  for (const std::string& name : names) run.files.push_back({name, "sha of " + name, 1});
  return run;
}

std::vector<std::string> NamesOf(const SplitRunStoredRun& run) {
  std::vector<std::string> names;
  for (const store::RunFile& file : run.files) names.push_back(file.name);
  return names;
}

TEST(SplitRun, FoldersAndFilesAreRuns) {
  SplitRunStoredRun run = RunOfFiles({".source.jsonl", "up/a/rank0.json", "up/a/rank1.json",
                                      "up/b/c/rank0.json", "up/notes.txt", "up/one.pt.trace.json"});
  run.set_aside.push_back({"up/a/rank1.json", "it ends its reader"});
  const auto parts = PartsOf(run, {{"up/a"}, {"up/b/c"}, {"up/one.pt.trace.json"}});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].id, run.id);
  EXPECT_EQ(parts[0].key, run.key);
  EXPECT_EQ(parts[0].name, "sweep/a");
  EXPECT_EQ(parts[0].state, store::RunState::kAnalysing);
  EXPECT_THAT(parts[0].tags, ElementsAre(Pair("lr", "3"), Pair("set", "sweep")));
  EXPECT_THAT(NamesOf(parts[0]),
              ElementsAre(".source.jsonl", "up/a/rank0.json", "up/a/rank1.json", "up/notes.txt"));
  EXPECT_EQ(parts[0].set_aside.size(), 1u);
  EXPECT_EQ(parts[1].id, "");
  EXPECT_EQ(parts[1].key, "part 1 of 00112233445566aa");
  EXPECT_EQ(parts[1].name, "sweep/b/c");
  EXPECT_EQ(parts[1].state, store::RunState::kQueued);
  EXPECT_THAT(NamesOf(parts[1]), ElementsAre(".source.jsonl", "up/b/c/rank0.json"));
  EXPECT_THAT(parts[1].set_aside, IsEmpty());
  EXPECT_EQ(parts[2].name, "sweep/one");
}

TEST(SplitRun, AFolderIsNotOneWithALongerName) {
  const auto parts = PartsOf(RunOfFiles({"a/x", "ab/x"}), {{"a"}, {"ab"}});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(NamesOf(parts[0]), ElementsAre("a/x"));
  EXPECT_EQ(parts[1].name, "sweep/ab");
}

TEST(SplitRun, WhatIsNoPartitionIsLeft) {
  const SplitRunStoredRun run = RunOfFiles({"a", "b"});
  EXPECT_THAT(PartsOf(run, {}), IsEmpty());
  EXPECT_THAT(PartsOf(run, {{"a"}}), IsEmpty());
  EXPECT_THAT(PartsOf(run, {{"a"}, {}}), IsEmpty());
  EXPECT_THAT(PartsOf(run, {{"a"}, {"gone"}}), IsEmpty());
  EXPECT_THAT(PartsOf(run, {{"/a"}, {"b"}}), IsEmpty());
  EXPECT_THAT(PartsOf(run, {{"../a"}, {"b"}}), IsEmpty());
  EXPECT_THAT(PartsOf(run, {{"a", "b"}, {"b"}}), IsEmpty());
}

}  // namespace
}  // namespace rankscope::service
