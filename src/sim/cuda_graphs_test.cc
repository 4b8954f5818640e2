// Jobs whose layers are replayed from CUDA graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/engine/rank_engine.h"
#include "sim/planted_job.h"
#include "sim/simulate.h"
#include "sim/test_job.h"
#include "sim/test_trace.h"

namespace rankscope::sim {
namespace {

using ::testing::HasSubstr;

SimulateOptions OptionsCudaGraphs(JobKind job, bool cuda_graphs) {
  SimulateOptions options;
  options.job = job;
  options.ranks = job == JobKind::kSingle ? 1 : 2;
  options.steps = 3;
  options.cuda_graphs = cuda_graphs;
  return options;
}

EventCounts CountsOf(JobKind job, int rank, bool cuda_graphs) {
  const JobPlan plan(OptionsCudaGraphs(job, cuda_graphs), {.layers = 5, .micro_batches = 2}, 0, 0);
  const JobRun run = RunTogether(plan);
  KnownRendezvous known(*run.meetings);
  Recorder recorder(plan, rank, nullptr);
  RankEngine(plan, rank, &known, &recorder).Run();
  return recorder.counts();
}

TEST(CudaGraphs, TheDeviceDoesTheSameWorkAndTheHostFarLess) {
  for (const JobKind job : {JobKind::kSingle, JobKind::kDdp, JobKind::kPostTraining}) {
    for (int rank = 0; rank < (job == JobKind::kSingle ? 1 : 2); ++rank) {
      const EventCounts eager = CountsOf(job, rank, false), replayed = CountsOf(job, rank, true);
      EXPECT_EQ(eager.compute_kernels, replayed.compute_kernels);
      EXPECT_EQ(eager.communication_kernels, replayed.communication_kernels);
      EXPECT_LT(replayed.runtime_calls, eager.runtime_calls / 2) << NameOf(job) << " " << rank;
      EXPECT_LT(replayed.ops, eager.ops / 2) << NameOf(job) << " " << rank;
    }
  }
}

class GraphTraceTest : public ::testing::Test {
 protected:
  std::vector<TestEvent> Run(JobKind job) {
    SimulateOptions options = OptionsCudaGraphs(job, true);
    options.out_folder = folder_.path().string();
    options.compress = false;
    options.events_per_rank = 10'000;
    options.micro_batches = 2;
    const Status status = Simulate(options);
    EXPECT_TRUE(status.ok()) << status.message();
    return ReadEvents(folder_.path() / "rank0.pt.trace.json");
  }
  std::int64_t Size(std::string_view what) {
    const json::Reader truth = JsonOf(folder_.path() / "truth.json");
    EXPECT_EQ(truth.root()["options"]["cuda_graphs"].Flag(), true);
    return Number(truth.root()["size"], what);
  }

  TestFolder folder_;
};

struct Replay {
  const TestEvent* call = nullptr;
  std::vector<const TestEvent*> kernels;
};

// By correlation, in the order of the host.
std::map<std::int64_t, Replay> ReplaysOf(const std::vector<TestEvent>& events) {
  std::map<std::int64_t, Replay> replays;
  for (const TestEvent& event : events) {
    if (event.name == "cudaGraphLaunch") replays[event.correlation].call = &event;
  }
  for (const TestEvent& event : events) {
    if (!event.Is("kernel")) continue;
    const auto replay = replays.find(event.correlation);
    EXPECT_EQ(event.graph >= 0, replay != replays.end()) << event.name;
    if (replay != replays.end()) replay->second.kernels.push_back(&event);
  }
  return replays;
}

TEST_F(GraphTraceTest, EveryLayerHasAGraphOfItsOwnEachWay) {
  const std::vector<TestEvent> events = Run(JobKind::kDdp);
  const std::map<std::int64_t, Replay> replays = ReplaysOf(events);
  const std::int64_t layers = Size("layers");
  ASSERT_GT(layers, 1);
  EXPECT_EQ(static_cast<std::int64_t>(replays.size()), 3 * 2 * 2 * layers);  // steps, passes, ways
  std::map<std::int64_t, int> times;
  for (const auto& [correlation, replay] : replays) {
    ASSERT_FALSE(replay.kernels.empty());
    const std::int64_t graph = replay.kernels.front()->graph;
    ++times[graph];
    std::int64_t end_ns = replay.call->end_ns;
    for (std::size_t i = 0; i < replay.kernels.size(); ++i) {
      const TestEvent& kernel = *replay.kernels[i];
      EXPECT_EQ(kernel.graph, graph);
      EXPECT_EQ(kernel.graph_node, (graph << 32) + static_cast<std::int64_t>(i) + 1);
      EXPECT_GT(kernel.begin_ns, end_ns);
      end_ns = kernel.end_ns;
    }
    const TestEvent& call = *replay.call;
    const bool ops_inside =
        std::any_of(events.begin(), events.end(), [&call](const TestEvent& event) {
          return event.Is("cpu_op") && event.tid == call.tid && event.begin_ns > call.begin_ns &&
                 event.begin_ns < call.end_ns;
        });
    EXPECT_FALSE(ops_inside);
  }
  EXPECT_EQ(static_cast<std::int64_t>(times.size()), 2 * layers);
  for (const auto& [graph, count] : times) EXPECT_EQ(count, 3 * 2) << graph;
}

TEST_F(GraphTraceTest, AGeneratorReplaysTheWholeModelForAToken) {
  const std::vector<TestEvent> events = Run(JobKind::kPostTraining);
  const std::map<std::int64_t, Replay> replays = ReplaysOf(events);
  std::set<std::size_t> sizes;
  std::set<std::int64_t> graphs;
  for (const auto& [correlation, replay] : replays) {
    sizes.insert(replay.kernels.size());
    graphs.insert(replay.kernels.front()->graph);
  }
  EXPECT_EQ(sizes.size(), 1U);
  EXPECT_GT(*sizes.begin(), static_cast<std::size_t>(10 * Size("layers")));
  EXPECT_EQ(graphs.size(), 1U);
}

// A graph spares the host the launches, not the device the kernels.
TEST(CudaGraphs, HideWhatLaunchingTinyKernelsCosts) {
  const auto lost_ns = [](bool cuda_graphs, double severity) {
    SimulateOptions options = OptionsCudaGraphs(JobKind::kSingle, cuda_graphs);
    options.causes = {
        {.cause = CauseId::kLaunchBound, .severity = severity, .ranks = {}, .steps = {}}};
    const PlantedJob job(options, {.layers = 5});
    return static_cast<double>(job.step_ns() - job.healthy_step_ns());
  };
  EXPECT_LT(lost_ns(true, 12), 0.7 * lost_ns(false, 12));
  EXPECT_LT(lost_ns(true, 48), 0.3 * lost_ns(false, 48));
  EXPECT_GT(lost_ns(true, 12), 0);
}

// Decoding is launch-bound by itself.
TEST(CudaGraphs, MakeAGeneratorFaster) {
  const auto step_ns = [](bool cuda_graphs) {
    const JobPlan plan(OptionsCudaGraphs(JobKind::kPostTraining, cuda_graphs),
                       {.layers = 8, .micro_batches = 2}, 0, 0);
    return static_cast<double>(RunTogether(plan).MeanStepNs());
  };
  EXPECT_LT(step_ns(true), 0.9 * step_ns(false));
}

TEST(CudaGraphs, RefusesWhatCannotBeCaptured) {
  const TestFolder folder;
  SimulateOptions options = OptionsCudaGraphs(JobKind::kThreeD, true);
  options.out_folder = folder.path().string();
  EXPECT_THAT(Simulate(options).message(), HasSubstr("3d jobs communicate within their layers"));
  options.job = JobKind::kDdp;
  for (const CauseId cause : {CauseId::kHostSync, CauseId::kAllocatorThrash,
                              CauseId::kMemoryPressure, CauseId::kSequenceImbalance}) {
    options.causes = {{.cause = cause, .severity = 0.5, .ranks = {}, .steps = {}}};
    EXPECT_THAT(Simulate(options).message(),
                HasSubstr(std::string(InfoOf(cause).name) + " does not fit"));
  }
}

// All other causes of a data-parallel job can be planted in one with graphs.
TEST(CudaGraphs, KeepsTheCausesThatItDoesNotRefuse) {
  for (const CauseInfo& info : CauseTable()) {
    if ((info.jobs & Bit(JobKind::kDdp)) == 0) continue;
    SimulateOptions options = OptionsCudaGraphs(JobKind::kDdp, true);
    options.out_folder = "out";
    options.causes = {
        {.cause = info.id, .severity = info.default_severity, .ranks = {}, .steps = {}}};
    if (!Validate(options).ok()) continue;
    const PlantedJob job(options, {.layers = 3});
    EXPECT_GT(job.step_ns(), 0) << info.name;
  }
}

}  // namespace
}  // namespace rankscope::sim
