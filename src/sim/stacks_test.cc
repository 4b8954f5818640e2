// Python frames of jobs with stacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "sim/engine/rank_engine.h"
#include "sim/engine/run_together.h"
#include "sim/simulate.h"
#include "sim/test_job.h"
#include "sim/test_trace.h"

namespace rankscope::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StacksTest : public ::testing::TestWithParam<JobKind> {
 protected:
  SimulateOptions Options() const {
    SimulateOptions options = TestOptions(folder_.path());
    options.job = GetParam();
    options.ranks = options.job == JobKind::kSingle ? 1 : 4;
    options.causes.clear();
    options.micro_batches = 2;
    options.stacks = true;
    return options;
  }
  std::vector<TestEvent> Run(const SimulateOptions& options) {
    const Status status = Simulate(options);
    EXPECT_TRUE(status.ok()) << status.message();
    return ReadEvents(folder_.path() / "rank0.pt.trace.json");
  }

  TestFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(All, StacksTest,
                         ::testing::Values(JobKind::kDdp, JobKind::kFsdp, JobKind::kHsdp,
                                           JobKind::kThreeD, JobKind::kDlrm, JobKind::kMoe,
                                           JobKind::kSingle, JobKind::kPostTraining),
                         [](const auto& test) {
                           std::string name(NameOf(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

std::map<std::int64_t, const TestEvent*> FramesOf(const std::vector<TestEvent>& events) {
  std::map<std::int64_t, const TestEvent*> frames;
  for (const TestEvent& event : events) {
    if (event.Is("python_function")) {
      EXPECT_TRUE(frames.emplace(event.python, &event).second) << event.python;
    }
  }
  return frames;
}

TEST_P(StacksTest, FramesLieWithinTheirParentsOnTheMainThread) {
  const std::vector<TestEvent> events = Run(Options());
  const auto frames = FramesOf(events);
  ASSERT_GT(frames.size(), 100U);
  std::int64_t main = -1;
  int roots = 0;
  for (const TestEvent& event : events) {
    if (event.Is("user_annotation") && event.name.starts_with("ProfilerStep#")) main = event.tid;
  }
  for (const auto& [id, frame] : frames) {
    EXPECT_EQ(frame->tid, main);
    if (frame->python_parent < 0) {
      ++roots;
      continue;
    }
    ASSERT_TRUE(frames.contains(frame->python_parent)) << frame->name;
    const TestEvent& parent = *frames.at(frame->python_parent);
    EXPECT_LT(parent.begin_ns, frame->begin_ns) << frame->name;
    EXPECT_GT(parent.end_ns, frame->end_ns) << frame->name;
  }
  EXPECT_EQ(roots, 1);  // the script
}

TEST_P(StacksTest, ModulesOfAClassAreNumberedAndCalledOncePerPass) {
  const std::vector<TestEvent> events = Run(Options());
  std::map<std::string, int> calls;
  std::map<std::string, std::int64_t> numbers;
  for (const TestEvent& event : events) {
    if (!event.Is("python_function")) continue;
    EXPECT_EQ(event.name.starts_with("nn.Module: "), event.python_module >= 0) << event.name;
    if (event.python_module < 0) continue;
    EXPECT_EQ(event.name.substr(event.name.rfind('_') + 1), std::to_string(event.python_module));
    const auto [at, added] = numbers.emplace(event.name, event.python_module);
    EXPECT_EQ(at->second, event.python_module);
    ++calls[event.name];
  }
  const json::Reader truth = JsonOf(folder_.path() / "truth.json");
  const std::int64_t layers = Number(truth.root()["size"], "layers");
  const int per_step = GetParam() == JobKind::kPostTraining ? 2 * 3 : 2;  // tokens; else passes
  const std::map<JobKind, std::string> classes = {{JobKind::kMoe, "MixtureLayer"},
                                                  {JobKind::kDlrm, "Linear"}};
  const auto named = classes.find(GetParam());
  const std::string name = named == classes.end() ? "TransformerLayer" : named->second;
  const std::int64_t others = GetParam() == JobKind::kDlrm ? 4 : 0;
  std::int64_t found = 0;
  for (const auto& [module, count] : calls) {
    if (!module.starts_with("nn.Module: " + name + "_")) continue;
    EXPECT_EQ(count, 3 * per_step) << module;
    ++found;
  }
  EXPECT_EQ(found, layers + others);
}

TEST_P(StacksTest, OpsOfALinearMapLieInItsModule) {
  const std::vector<TestEvent> events = Run(Options());
  std::vector<const TestEvent*> modules;
  for (const TestEvent& event : events) {
    const bool linear = event.name.starts_with("nn.Module: Linear_") ||
                        event.name.starts_with("nn.Module: OutputProjection_");
    if (linear) modules.push_back(&event);
  }
  std::sort(modules.begin(), modules.end(),
            [](const TestEvent* a, const TestEvent* b) { return a->begin_ns < b->begin_ns; });
  std::size_t at = 0;
  std::vector<const TestEvent*> ops;
  for (const TestEvent& event : events) {
    if (event.name == "aten::linear") ops.push_back(&event);
  }
  std::sort(ops.begin(), ops.end(),
            [](const TestEvent* a, const TestEvent* b) { return a->begin_ns < b->begin_ns; });
  ASSERT_EQ(ops.size(), modules.size());
  ASSERT_GT(ops.size(), 10U);
  for (const TestEvent* op : ops) {
    EXPECT_LT(modules[at]->begin_ns, op->begin_ns);
    EXPECT_GT(modules[at]->end_ns, op->end_ns);
    ++at;
  }
}

TEST_P(StacksTest, WithoutStacksNothingSaysSo) {
  SimulateOptions options = Options();
  options.stacks = false;
  Run(options);
  const std::string text = *ReadFile((folder_.path() / "rank0.pt.trace.json").string());
  EXPECT_THAT(text, Not(HasSubstr("python_function")));
  EXPECT_THAT(text, Not(HasSubstr("with_stack")));
}

TEST(Stacks, TheDeviceDoesTheSameAsWithoutThem) {
  const auto busy_ns = [](bool stacks) {
    SimulateOptions options;
    options.job = JobKind::kMoe;
    options.ranks = 4;
    options.steps = 3;
    options.stacks = stacks;
    const JobPlan plan(options, {.layers = 3, .micro_batches = 2}, 0, 0);
    const JobRun run = RunTogether(plan);
    KnownRendezvous known(*run.meetings);
    Recorder recorder(plan, 1, nullptr);
    RankEngine(plan, 1, &known, &recorder).Run();
    std::vector<std::int64_t> compute;
    for (const WindowAccount& window : recorder.accounting().windows()) {
      compute.push_back(window.busy_ns[0]);
    }
    return compute;
  };
  EXPECT_EQ(busy_ns(true), busy_ns(false));
}

TEST(Stacks, LayersInGraphsHaveFramesButNoModulesInside) {
  const TestFolder folder;
  SimulateOptions options = TestOptions(folder.path());
  options.causes.clear();
  options.job = JobKind::kSingle;
  options.ranks = 1;
  options.stacks = true;
  options.cuda_graphs = true;
  ASSERT_TRUE(Simulate(options).ok());
  std::set<std::string> classes;
  for (const TestEvent& event : ReadEvents(folder.path() / "rank0.pt.trace.json")) {
    if (event.python_module >= 0) classes.insert(event.name.substr(0, event.name.rfind('_')));
  }
  EXPECT_TRUE(classes.contains("nn.Module: TransformerLayer"));
  EXPECT_FALSE(classes.contains("nn.Module: Linear"));
}

}  // namespace
}  // namespace rankscope::sim
