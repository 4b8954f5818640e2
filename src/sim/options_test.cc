// What options change in what is written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "sim/simulate.h"
#include "sim/test_job.h"
#include "sim/test_trace.h"

namespace rankscope::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SimulateOptions OptionsOptions(const TestFolder& folder, JobKind job) {
  SimulateOptions options = TestOptions(folder.path());
  options.job = job;
  options.causes.clear();
  return options;
}

std::string ReadRank(const TestFolder& folder, int rank) {
  return *ReadFile((folder.path() / fmt::format("rank{}.pt.trace.json", rank)).string());
}

TEST(OptionsOptions, GroupsCanGoWithoutTheirDescriptionOrAltogether) {
  const TestFolder folder;
  SimulateOptions options = OptionsOptions(folder, JobKind::kThreeD);
  ASSERT_TRUE(Simulate(options).ok());
  EXPECT_THAT(ReadRank(folder, 0), HasSubstr("TENSOR_MODEL_PARALLEL_GROUP"));
  options.group_names = GroupNames::kUndefined;
  ASSERT_TRUE(Simulate(options).ok());
  EXPECT_THAT(ReadRank(folder, 0), Not(HasSubstr("TENSOR_MODEL_PARALLEL_GROUP")));
  EXPECT_THAT(ReadRank(folder, 0), HasSubstr("\"Process Group Description\": \"undefined\""));
  options.group_names = GroupNames::kNone;
  ASSERT_TRUE(Simulate(options).ok());
  EXPECT_THAT(ReadRank(folder, 0), Not(HasSubstr("Process Group")));
  EXPECT_THAT(ReadRank(folder, 0), Not(HasSubstr("Collective name")));
  EXPECT_THAT(ReadRank(folder, 0), HasSubstr("ncclDevKernel_AllReduce"));
}

TEST(OptionsOptions, MissingRanksAreSimulatedButNotWritten) {
  const TestFolder whole, part;
  ASSERT_TRUE(Simulate(OptionsOptions(whole, JobKind::kDdp)).ok());
  SimulateOptions options = OptionsOptions(part, JobKind::kDdp);
  options.missing_ranks = {1, 3};
  SimulateProgress last;
  ASSERT_TRUE(Simulate(options, [&](const SimulateProgress& now) { last = now; }).ok());
  EXPECT_EQ(last.ranks_written, 2);
  EXPECT_EQ(last.ranks, 2);
  EXPECT_FALSE(std::filesystem::exists(part.path() / "rank1.pt.trace.json"));
  EXPECT_TRUE(ReadRank(part, 2) == ReadRank(whole, 2));
  options.missing_ranks = {0, 1, 2, 3};
  EXPECT_THAT(Simulate(options).message(), HasSubstr("no rank is left"));
  options.missing_ranks = {4};
  EXPECT_THAT(Simulate(options).message(), HasSubstr("missing-ranks: 4"));
}

TEST(OptionsOptions, ASingleJobHasOneRankAndPostTrainingTwo) {
  const TestFolder folder;
  EXPECT_THAT(Simulate(OptionsOptions(folder, JobKind::kSingle)).message(), HasSubstr("ranks: 4"));
  SimulateOptions options = OptionsOptions(folder, JobKind::kPostTraining);
  options.ranks = 1;
  EXPECT_THAT(Simulate(options).message(), HasSubstr("a generator and a trainer"));
}

TEST(OptionsOptions, AHostThatRunsAheadWaitsOnlyBehindTheLastStep) {
  const TestFolder folder;
  SimulateOptions options = OptionsOptions(folder, JobKind::kThreeD);
  const auto waits = [&] {
    EXPECT_TRUE(Simulate(options).ok());
    const std::vector<TestEvent> events = ReadEvents(folder.path() / "rank0.pt.trace.json");
    return std::count_if(events.begin(), events.end(),
                         [](const TestEvent& event) { return event.Is("cuda_sync"); }) -
           std::count_if(events.begin(), events.end(),
                         [](const TestEvent& event) { return event.waits_for >= 0; });
  };
  EXPECT_EQ(waits(), 2 * kTestSteps + 1);
  options.run_ahead = true;
  EXPECT_EQ(waits(), 1);
  options.job = JobKind::kPostTraining;
  EXPECT_THAT(Simulate(options).message(), HasSubstr("run-ahead"));
}

TEST(OptionsOptions, CausesThatChangeWhatRanksDoTogetherCannotBeNarrowed) {
  const TestFolder folder;
  SimulateOptions options = OptionsOptions(folder, JobKind::kDdp);
  options.causes = {
      {.cause = CauseId::kSmallCollectives, .severity = 1, .ranks = {0}, .steps = {}}};
  EXPECT_THAT(Simulate(options).message(), HasSubstr("strikes all ranks"));
  options.causes = {{.cause = CauseId::kPipelineBubble, .severity = 1, .ranks = {}, .steps = {}}};
  EXPECT_THAT(Simulate(options).message(), HasSubstr("it has no pipeline"));
  options.causes = {{.cause = CauseId::kSlowLink, .severity = 1, .ranks = {}, .steps = {}}};
  options.ranks = 1;
  EXPECT_THAT(Simulate(options).message(), HasSubstr("nobody to talk to"));
}

using Row = std::vector<std::string>;

std::vector<Row> ReadLog(const TestFolder& folder, int rank) {
  std::istringstream text(
      *ReadFile((folder.path() / fmt::format("rank{}.collectives.csv", rank)).string()));
  std::vector<Row> rows;
  for (std::string line; std::getline(text, line);) {
    std::istringstream fields(line);
    Row row;
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(CollectiveLog, SaysWhenEveryMemberBeganAndWhatTheTransferTook) {
  const TestFolder folder;
  SimulateOptions options = OptionsOptions(folder, JobKind::kFsdp);
  ASSERT_TRUE(Simulate(options).ok());
  std::map<std::string, std::vector<std::int64_t>> begins, lasts, ends;
  for (int rank = 0; rank < kTestRanks; ++rank) {
    const std::vector<Row> rows = ReadLog(folder, rank);
    EXPECT_EQ(rows[0], (Row{"group", "sequence", "op", "bytes", "correlation", "begin_ns",
                            "last_begin_ns", "end_ns"}));
    std::map<std::int64_t, const TestEvent*> kernels;
    const std::vector<TestEvent> events =
        ReadEvents(folder.path() / fmt::format("rank{}.pt.trace.json", rank));
    for (const TestEvent& event : events) {
      if (event.Is("kernel") && event.collective >= 0) kernels[event.correlation] = &event;
    }
    EXPECT_EQ(rows.size() - 1, kernels.size());
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const Row& row = rows[i];
      const std::string key = row[0] + " " + row[1];
      begins[key].push_back(std::stoll(row[5]));
      lasts[key].push_back(std::stoll(row[6]));
      ends[key].push_back(std::stoll(row[7]));
      const auto kernel = kernels.find(std::stoll(row[4]));
      ASSERT_NE(kernel, kernels.end());
      EXPECT_EQ(kernel->second->collective, std::stoll(row[1]));
      EXPECT_EQ(kernel->second->end_ns - kernel->second->begin_ns,
                ends[key].back() - begins[key].back());
    }
  }
  for (const auto& [key, members] : begins) {
    EXPECT_EQ(members.size(), static_cast<std::size_t>(kTestRanks)) << key;
    const std::int64_t last = *std::max_element(members.begin(), members.end());
    for (const std::int64_t said : lasts[key]) EXPECT_EQ(said, last) << key;
    for (const std::int64_t end : ends[key]) EXPECT_EQ(end, ends[key][0]) << key;
    EXPECT_GT(ends[key][0], last);
  }
}

}  // namespace
}  // namespace rankscope::sim
