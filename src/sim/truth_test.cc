// What truth.json says about roles, pipelines and experts, against the traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "sim/simulate.h"
#include "sim/test_job.h"
#include "sim/test_trace.h"

namespace rankscope::sim {
namespace {

class TruthTest : public ::testing::Test {
 protected:
  void Run(const SimulateOptions& options) {
    const Status status = Simulate(options);
    ASSERT_TRUE(status.ok()) << status.message();
    truth_ = JsonOf(folder_.path() / "truth.json");
  }
  SimulateOptions Options(JobKind job) const {
    SimulateOptions options = TestOptions(folder_.path());
    options.job = job;
    options.causes.clear();
    return options;
  }
  json::Value Truth() const { return truth_->root(); }
  std::vector<json::Value> Ranks() const { return Truth()["ranks"].Items(); }
  std::filesystem::path Trace(const json::Value& rank) const {
    return folder_.path() / Text(rank, "file");
  }
  // From true time to the rank's clock, for clocks that do not drift.
  std::int64_t LocalNs(const json::Value& rank) const {
    return std::stoll(Text(Truth(), "job_start_ns")) + Number(rank, "clock_offset_ns");
  }

  TestFolder folder_;
  std::optional<json::Reader> truth_;
};

// The compute kernels of every step whose launch lies within a forward_step or backward_step, in
// true time.
std::vector<IntervalSet> PassKernels(const std::vector<TestEvent>& events, std::int64_t local_ns) {
  std::vector<Interval> steps, passes;
  std::map<std::int64_t, std::int64_t> launched_ns;
  for (const TestEvent& event : events) {
    const Interval interval{event.begin_ns, event.end_ns};
    if (event.name == "forward_step" || event.name == "backward_step") {
      if (event.Is("user_annotation")) passes.push_back(interval);
    }
    if (event.Is("user_annotation") && event.name.starts_with("ProfilerStep#")) {
      steps.push_back(interval);
    }
    if (event.Is("cuda_runtime")) launched_ns[event.correlation] = event.begin_ns;
  }
  std::vector<std::vector<Interval>> kernels(steps.size());
  for (const TestEvent& event : events) {
    if (!event.Is("kernel") || event.collective >= 0) continue;
    const std::int64_t launch_ns = launched_ns.at(event.correlation);
    const auto holds = [&](const Interval& in) {
      return in.begin <= launch_ns && launch_ns < in.end;
    };
    if (std::none_of(passes.begin(), passes.end(), holds)) continue;
    const auto step = std::find_if(steps.begin(), steps.end(), holds);
    kernels[static_cast<std::size_t>(step - steps.begin())].push_back(
        {event.begin_ns - local_ns, event.end_ns - local_ns});
  }
  std::vector<IntervalSet> united;
  for (const std::vector<Interval>& step : kernels) united.push_back(Normalise(step));
  return united;
}

TEST_F(TruthTest, APipelineIsDividedAsTheTracesOfItsStagesSay) {
  SimulateOptions options = Options(JobKind::kThreeD);
  options.ranks = 12;
  options.degrees = {.pp = 3, .dp = 4};
  options.events_per_rank = 30'000;
  options.causes = {{.cause = CauseId::kPipelineBubble, .severity = 1, .ranks = {}, .steps = {1}},
                    {.cause = CauseId::kSlowGpu, .severity = 0.5, .ranks = {5}, .steps = {}}};
  Run(options);

  std::vector<std::vector<IntervalSet>> busy;  // by rank and step
  for (const json::Value& rank : Ranks()) {
    busy.push_back(PassKernels(ReadEvents(Trace(rank)), LocalNs(rank)));
  }
  for (const json::Value& rank : Ranks()) {
    const auto self = static_cast<std::size_t>(Number(rank, "rank"));
    std::size_t step = 0;
    for (const json::Value& window : rank["windows"].Items()) {
      Interval pipeline{busy[self][step].front().begin, busy[self][step].back().end};
      for (std::size_t other = self % 4; other < busy.size(); other += 4) {
        pipeline.begin = std::min(pipeline.begin, busy[other][step].front().begin);
        pipeline.end = std::max(pipeline.end, busy[other][step].back().end);
      }
      const IntervalSet& mine = busy[self][step];
      const json::Value truth = window["pipeline"];
      EXPECT_EQ(Number(truth, "warm_up_ns"), mine.front().begin - pipeline.begin);
      EXPECT_EQ(Number(truth, "cool_down_ns"), pipeline.end - mine.back().end);
      EXPECT_EQ(Number(truth, "busy_ns"), Total(mine));
      EXPECT_EQ(Number(truth, "steady_ns"), mine.back().end - mine.front().begin - Total(mine));
      const std::int64_t micro_batches = Number(Truth()["size"], "micro_batches");
      EXPECT_EQ(Number(truth, "micro_batches"), step == 1 ? micro_batches / 2 : micro_batches);
      ++step;
    }
    EXPECT_EQ(step, static_cast<std::size_t>(options.steps));
  }
}

TEST_F(TruthTest, APipelineIsTheSameWithStagesThatAreNotWritten) {
  SimulateOptions options = Options(JobKind::kThreeD);
  options.degrees = {.pp = 2, .dp = 2};
  const auto stages = [&] {
    std::map<std::int64_t, std::string> all;
    Run(options);
    for (const json::Value& rank : Ranks()) {
      for (const json::Value& window : rank["windows"].Items()) {
        all[Number(rank, "rank")] += window["pipeline"].ToString();
      }
    }
    return all;
  };
  auto whole = stages();
  ASSERT_EQ(whole.size(), 4U);
  std::filesystem::remove(folder_.path() / "rank1.pt.trace.json");
  std::filesystem::remove(folder_.path() / "rank2.pt.trace.json");
  options.missing_ranks = {1, 2};
  whole.erase(1);
  whole.erase(2);
  EXPECT_EQ(stages(), whole);
}

TEST_F(TruthTest, AJobWithoutStagesOrExpertsSaysNothingOfThem) {
  SimulateOptions options = Options(JobKind::kThreeD);
  options.degrees = {.tp = 2, .dp = 2};
  Run(options);
  for (const json::Value& rank : Ranks()) {
    EXPECT_EQ(Text(rank, "role"), "trainer");
    for (const json::Value& window : rank["windows"].Items()) {
      EXPECT_TRUE(window["pipeline"].IsAbsent());
      EXPECT_TRUE(window["experts"].IsAbsent());
    }
  }
}

TEST_F(TruthTest, RolesOfPostTraining) {
  Run(Options(JobKind::kPostTraining));
  std::vector<std::string> roles;
  for (const json::Value& rank : Ranks()) roles.push_back(Text(rank, "role"));
  EXPECT_THAT(roles, ::testing::ElementsAre("generator", "trainer", "trainer", "trainer"));
}

// Elements that the all-to-alls of a trace have received, in order.
std::vector<std::int64_t> Received(const std::filesystem::path& path) {
  const json::Reader trace = JsonOf(path);
  std::map<std::int64_t, std::int64_t> by_time;
  for (const json::Value& event : trace.root()["traceEvents"].Items()) {
    if (Text(event, "name") != "record_param_comms") continue;
    if (Text(event["args"], "Collective name") != "all_to_allv") continue;
    by_time[Nanoseconds(event, "ts")] = Number(event["args"], "Out msg nelems");
  }
  std::vector<std::int64_t> received;
  for (const auto& [ns, elements] : by_time) received.push_back(elements);
  return received;
}

TEST_F(TruthTest, ExpertsReceiveWhatTheForwardExchangesSay) {
  SimulateOptions options = Options(JobKind::kMoe);
  options.degrees = {.ep = 2, .dp = 4};
  options.micro_batches = 2;
  options.events_per_rank = 40'000;
  options.causes = {{.cause = CauseId::kExpertImbalance, .severity = 1, .ranks = {}, .steps = {}}};
  Run(options);
  const auto layers = static_cast<std::size_t>(Number(Truth()["size"], "layers"));
  ASSERT_GT(layers, 1U);
  const std::int64_t hidden = ModelShape{}.hidden;
  // Tokens by group, step, layer and micro-batch.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> sums;
  for (const json::Value& rank : Ranks()) {
    const std::vector<std::int64_t> exchanged = Received(Trace(rank));
    std::size_t step = 0;
    for (const json::Value& window : rank["windows"].Items()) {
      std::size_t item = 0;
      for (const json::Value& expert : window["experts"].Items()) {
        EXPECT_EQ(Number(expert, "layer"), static_cast<std::int64_t>(item % layers));
        EXPECT_EQ(Number(expert, "micro_batch"), static_cast<std::int64_t>(item / layers));
        // A pass has two exchanges per layer each way, the forward's first.
        const std::size_t pass = 2 * step + item / layers;
        const std::size_t at = pass * 4 * layers + 2 * (item % layers);
        EXPECT_EQ(Number(expert, "tokens_received") * hidden, exchanged.at(at));
        sums[{Number(rank, "rank") / 2, Number(window, "step"), Number(expert, "layer"),
              Number(expert, "micro_batch")}] += Number(expert, "tokens_received");
        ++item;
      }
      EXPECT_EQ(item, 2 * layers);
      ++step;
    }
  }
  EXPECT_EQ(sums.size(), 2 * 3 * 2 * layers);
  // Both ranks of a group send every token to two experts.
  for (const auto& [key, tokens] : sums) EXPECT_EQ(tokens, 2 * 2 * ModelShape{}.tokens());
}

}  // namespace
}  // namespace rankscope::sim
