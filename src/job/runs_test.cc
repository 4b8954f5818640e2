#include "job/runs.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;

struct Recording {
  std::string path;
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
  std::int64_t pid = 1;
  std::int64_t begin_s = 0;
  std::string host = {};
  std::string model = "a";
};

// Each takes a second.
std::vector<std::int64_t> RunsOf(const std::vector<Recording>& recordings) {
  std::vector<Capture> captures;
  for (const Recording& recording : recordings) {
    Capture& capture = captures.emplace_back();
    capture.path = recording.path;
    capture.rank = recording.rank;
    capture.world_size = recording.world_size;
    capture.pid = recording.pid;
    capture.host = recording.host;
    capture.begin_ns = recording.begin_s * kS;
    capture.end_ns = capture.begin_ns + kS;
    std::vector<std::string> kernels;
    for (int i = 0; i < 20; ++i) kernels.push_back(fmt::format("{} {}", recording.model, i));
    const std::vector<std::string_view> names(kernels.begin(), kernels.end());
    capture.kernel_names = HashNames(names);
  }
  FindRuns(captures);
  std::vector<std::int64_t> runs;
  for (const Capture& capture : captures) runs.push_back(capture.run);
  return runs;
}

TEST(FindRunsTest, CyclesOfTheSameProcessesAreOneRun) {
  EXPECT_THAT(RunsOf({{"t/step10/r0", 0, 2, 100, 0},
                      {"t/step10/r1", 1, 2, 101, 0},
                      {"t/step20/r0", 0, 2, 100, 60},
                      {"t/step20/r1", 1, 2, 101, 60}}),
              ElementsAre(0, 0, 0, 0));
}

TEST(FindRunsTest, OtherProcessesOfTheSameRanksAreAnotherRun) {
  EXPECT_THAT(RunsOf({{"t/a/r0", 0, 2, 100, 0},
                      {"t/a/r1", 1, 2, 101, 0},
                      {"t/b/r0", 0, 2, 200, 60},
                      {"t/b/r1", 1, 2, 201, 60}}),
              ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(RunsOf({{"t/a/r0", 0, 1, 1, 0, "host1"}, {"t/b/r0", 0, 1, 1, 60, "host2"}}),
              ElementsAre(0, 1));
}

TEST(FindRunsTest, RecordedAtTheSameTimeInTwoFoldersAreTwoRuns) {
  EXPECT_THAT(RunsOf({{"a/r0", 0, 2, 100, 0},
                      {"a/r1", 1, 2, 101, 0},
                      {"b/r0", 0, 2, 100, 0},
                      {"b/r1", 1, 2, 101, 0}}),
              ElementsAre(0, 0, 1, 1));
  // In one folder they are a recording and its copy.
  EXPECT_THAT(RunsOf({{"a/r0.json", 0, 2, 100, 0}, {"a/r0.json.gz", 0, 2, 100, 0}}),
              ElementsAre(0, 0));
}

TEST(FindRunsTest, FoldersOfHostsAreOneRun) {
  EXPECT_THAT(RunsOf({{"h0/r0", 0, 4, 100, 0, "h0"},
                      {"h0/r1", 1, 4, 101, 0, "h0"},
                      {"h1/r2", 2, 4, 100, 7, "h1"},
                      {"h1/r3", 3, 4, 101, 7, "h1"}}),
              ElementsAre(0, 0, 0, 0));
}

// Rank 0 of one program and rank 1 of another one, years apart, both of two ranks.
TEST(FindRunsTest, ProgramsOfAsManyRanksAreRunsOfTheirOwn) {
  EXPECT_THAT(RunsOf({{"t/a/r0", 0, 2, 100, 0, {}, "a"}, {"t/b/r1", 1, 2, 101, 60, {}, "b"}}),
              ElementsAre(0, 1));
  EXPECT_THAT(RunsOf({{"t/a/r0", 0, 2, 100, 0, {}, "a"}, {"t/b/r1", 1, 2, 101, 60, {}, "a"}}),
              ElementsAre(0, 0));
}

TEST(FindRunsTest, OtherWorldSizesAndProgramsAreOtherRuns) {
  EXPECT_THAT(RunsOf({{"a/r0", 0, 2, 100, 0}, {"b/r1", 1, 4, 101, 0}}), ElementsAre(0, 1));
  EXPECT_THAT(RunsOf({{"a/r0", 0, 1, 100, 0, "", "resnet"}, {"a/r0b", 0, 1, 100, 60, "", "bert"}}),
              ElementsAre(0, 1));
}

TEST(FindRunsTest, ModelsWithoutRanksInOneFolderAreRunsOfTheirOwn) {
  EXPECT_THAT(RunsOf({{"m/resnet", -1, -1, 100, 0},
                      {"m/bert", -1, -1, 200, 60},
                      {"m/bert2", -1, -1, 200, 120},
                      {"m/dlrm", -1, -1, 300, 180}}),
              ElementsAre(0, 1, 1, 2));
  // Recorded together they are ranks of one.
  EXPECT_THAT(RunsOf({{"m/a", -1, -1, 100, 0}, {"m/b", -1, -1, 101, 0}}), ElementsAre(0, 0));
}

// Formats that name no process: by their folder alone.
TEST(FindRunsTest, RecordingsWithoutRanksAndProcessesOfTwoFoldersAreTwoRuns) {
  EXPECT_THAT(RunsOf({{"t/jax/a", -1, -1, -1, 0}, {"t/nsys/b", -1, -1, -1, 60}}),
              ElementsAre(0, 1));
  EXPECT_THAT(RunsOf({{"t/jax/a", -1, -1, -1, 0}, {"t/jax/b", -1, -1, -1, 60}}), ElementsAre(0, 0));
}

TEST(SharedKernelsTest, EstimatesTheShareOfCommonNames) {
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(fmt::format("name {}", i));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  Capture a;
  Capture b;
  a.kernel_names = HashNames(std::span(names).subspan(0, 200));
  b.kernel_names = HashNames(std::span(names).subspan(100, 200));
  // 100 of 300, within three standard errors.
  EXPECT_NEAR(SharedKernels(a, b), 1.0 / 3, 0.25);
  EXPECT_EQ(SharedKernels(a, a), 1);
  // Few names tell nothing.
  EXPECT_TRUE(HashNames(std::span(names).subspan(0, kLeastNames - 1)).empty());
  EXPECT_EQ(SharedKernels(a, Capture()), 1);
}

}  // namespace
}  // namespace rankscope
