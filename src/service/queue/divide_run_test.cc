#include "service/queue/divide_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using DivideRunStoredRun = store::Run;

DivideRunStoredRun RunOf(std::vector<store::RunFile> files) {
  DivideRunStoredRun run;
  run.files = std::move(files);
  return run;
}

TEST(DivideRun, ByBytesOfTextInTheOrderOfFiles) {
  const DivideRunStoredRun run =
      RunOf({{"a.json", "", 60}, {"b.json", "", 40}, {"c.json.gz", "", 10}});
  EXPECT_THAT(DivideRun(run, 100), ElementsAre(WorkShard{0, 2, 100}, WorkShard{2, 3, 150}));
  EXPECT_THAT(DivideRun(run, 1000), ElementsAre(WorkShard{0, 3, 250})) << "nothing to divide";
  EXPECT_THAT(DivideRun(DivideRunStoredRun(), 100), IsEmpty());
}

TEST(DivideRun, WhatIsReadByNobodyCountsNothing) {
  DivideRunStoredRun run =
      RunOf({{".source.jsonl", "", 900}, {"a.json", "", 50}, {"b", "", 900}, {"c", "", 60}});
  run.set_aside.push_back({"b", "it ends who reads it"});
  EXPECT_THAT(DivideRun(run, 100), ElementsAre(WorkShard{1, 2, 50}, WorkShard{3, 4, 60}));
  EXPECT_THAT(DivideRun(run, 110), ElementsAre(WorkShard{1, 4, 110}));
}

TEST(DivideRun, RecordingsOfAServingProgramAreReadAsAWhole) {
  DivideRunStoredRun run = RunOf({{"a.json", "", 60}, {"b.json", "", 60}});
  run.tags[std::string(store::kKindTag)] = std::string(store::kServingKind);
  EXPECT_THAT(DivideRun(run, 100), IsEmpty());
}

TEST(DivideRun, AShardByItsFiles) {
  DivideRunStoredRun run = RunOf({{"a", "", 5}, {"b", "", 6}, {"c", "", 0}, {"d", "", 8}});
  run.set_aside.push_back({"b", "it ends who reads it"});
  EXPECT_THAT(DivideByFile(run, {0, 3, 11}), ElementsAre(WorkShard{0, 1, 5}, WorkShard{2, 3, 1}));
  EXPECT_THAT(DivideByFile(run, {3, 9, 0}), ElementsAre(WorkShard{3, 4, 8})) << "no file beyond";
}

TEST(DivideRun, APartHasItsFilesAlone) {
  DivideRunStoredRun run = RunOf({{"a", "", 5}, {"b", "", 6}, {"c", "", 7}});
  run.metrics.push_back({"numbers", "", 9});
  run.set_aside.push_back({"b", "it ends who reads it"});
  const DivideRunStoredRun part = PartOf(run, {1, 3, 13});
  EXPECT_THAT(part.files, ElementsAre(store::RunFile{"c", "", 7}));
  EXPECT_THAT(part.metrics, IsEmpty());
}

}  // namespace
}  // namespace rankscope::service
