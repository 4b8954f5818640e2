// Invariants of one simulated job, checked on the files that it wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/interval.h"
#include "sim/simulate.h"
#include "sim/test_job.h"
#include "sim/test_trace.h"

namespace rankscope::sim {
namespace {

using ::testing::HasSubstr;

// A job that all invariants are checked on.
struct Variant {
  std::string name;
  JobKind kind = JobKind::kDdp;
  Degrees degrees;  // those by default, unless they fit the ranks
  bool cuda_graphs = false;
  bool stacks = false;
  bool run_ahead = false;
};

std::vector<Variant> Variants() {
  std::vector<Variant> variants;
  for (int kind = 0; kind < kJobKindCount; ++kind) {
    std::string name(NameOf(static_cast<JobKind>(kind)));
    std::replace(name.begin(), name.end(), '-', '_');
    variants.push_back({.name = name, .kind = static_cast<JobKind>(kind), .degrees = {}});
  }
  variants.push_back({.name = "context", .kind = JobKind::kThreeD, .degrees = {.cp = 2, .pp = 2}});
  variants.push_back({.name = "graphs", .kind = JobKind::kDdp, .degrees = {}, .cuda_graphs = true});
  variants.push_back(
      {.name = "stacks", .kind = JobKind::kThreeD, .degrees = {.tp = 2, .pp = 2}, .stacks = true});
  variants.push_back({.name = "ahead", .kind = JobKind::kFsdp, .degrees = {}, .run_ahead = true});
  return variants;
}

// One job of every kind, made when the first test needs it.
class SimulatedJobTest : public ::testing::TestWithParam<Variant> {
 protected:
  struct Job {
    TestFolder folder;
    std::vector<std::vector<TestEvent>> ranks;
    std::optional<json::Reader> truth;
  };
  static int Ranks() { return Kind() == JobKind::kSingle ? 1 : kTestRanks; }
  static JobKind Kind() { return GetParam().kind; }
  void SetUp() override {
    std::unique_ptr<Job>& job = Jobs()[GetParam().name];
    if (!job) job = Make(GetParam());
    job_ = job.get();
  }
  static std::unique_ptr<Job> Make(const Variant& variant) {
    auto job = std::make_unique<Job>();
    SimulateOptions options = TestOptions(job->folder.path());
    options.job = variant.kind;
    options.degrees = variant.degrees;
    options.cuda_graphs = variant.cuda_graphs;
    options.stacks = variant.stacks;
    options.run_ahead = variant.run_ahead;
    options.clock_drift_max_ppb = 50'000;
    if (variant.kind == JobKind::kSingle) {
      options.ranks = 1;
      options.causes[0].ranks = {0};
    }
    const Status status = Simulate(options);
    EXPECT_TRUE(status.ok()) << status.message();
    for (int rank = 0; rank < Ranks(); ++rank) {
      job->ranks.push_back(
          ReadEvents(job->folder.path() / fmt::format("rank{}.pt.trace.json", rank)));
    }
    job->truth = JsonOf(job->folder.path() / "truth.json");
    return job;
  }
  static std::map<std::string, std::unique_ptr<Job>>& Jobs() {
    static std::map<std::string, std::unique_ptr<Job>> jobs;
    return jobs;
  }
  // The true time of a timestamp of a rank, to the nanosecond but for the drift's rounding.
  std::int64_t TrueNs(int rank, std::int64_t ns) const {
    const std::int64_t start = std::stoll(Text(job_->truth->root(), "job_start_ns"));
    const std::int64_t local = ns - start - Number(Truth(rank), "clock_offset_ns");
    const double drift = static_cast<double>(Number(Truth(rank), "clock_drift_ppb")) / 1e9;
    return local - static_cast<std::int64_t>(std::floor(static_cast<double>(local) * drift));
  }
  json::Value Truth(int rank) const {
    return job_->truth->root()["ranks"].At(static_cast<std::size_t>(rank));
  }
  // Rows of one kind of track, by track and time, longer first.
  template <typename Wanted>
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TestEvent>> Tracks(
      int rank, Wanted wanted) const {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TestEvent>> tracks;
    for (const TestEvent& event : job_->ranks[static_cast<std::size_t>(rank)]) {
      if (event.phase == "X" && wanted(event)) tracks[{event.pid, event.tid}].push_back(event);
    }
    for (auto& [key, events] : tracks) {
      std::sort(events.begin(), events.end(), [](const TestEvent& a, const TestEvent& b) {
        return std::pair(a.begin_ns, -a.end_ns) < std::pair(b.begin_ns, -b.end_ns);
      });
    }
    return tracks;
  }

  const Job* job_ = nullptr;
};

// Ranks of other kinds gather ahead, or differ in what they compute.
class SimulatedDdpTest : public SimulatedJobTest {};
INSTANTIATE_TEST_SUITE_P(Ddp, SimulatedDdpTest,
                         ::testing::Values(Variant{.name = "ddp", .degrees = {}}));

INSTANTIATE_TEST_SUITE_P(All, SimulatedJobTest, ::testing::ValuesIn(Variants()),
                         [](const auto& test) { return test.param.name; });

TEST_P(SimulatedJobTest, WorkOnAStreamDoesNotOverlap) {
  for (int rank = 0; rank < Ranks(); ++rank) {
    const auto streams = Tracks(rank, [](const TestEvent& e) { return e.IsDeviceWork(); });
    EXPECT_GE(streams.size(), 1U);
    for (const auto& [key, events] : streams) {
      for (std::size_t i = 1; i < events.size(); ++i) {
        ASSERT_LE(events[i - 1].end_ns, events[i].begin_ns) << events[i].name;
      }
    }
  }
}

TEST_P(SimulatedJobTest, HostEventsNest) {
  for (int rank = 0; rank < Ranks(); ++rank) {
    const auto threads = Tracks(rank, [](const TestEvent& e) {
      return e.Is("cpu_op") || e.Is("user_annotation") || e.Is("cuda_runtime") ||
             e.Is("python_function");
    });
    EXPECT_GE(threads.size(), 1U);
    for (const auto& [key, events] : threads) {
      std::vector<std::int64_t> open;  // ends
      for (const TestEvent& event : events) {
        while (!open.empty() && open.back() <= event.begin_ns) open.pop_back();
        if (!open.empty()) {
          ASSERT_LE(event.end_ns, open.back()) << event.name;
        }
        open.push_back(event.end_ns);
      }
    }
  }
}

TEST_P(SimulatedJobTest, EveryCorrelationPairsUp) {
  const std::set<std::string> launching = {
      "cudaLaunchKernel",      "cudaLaunchKernelExC",   "cudaGraphLaunch",    "cudaMemcpyAsync",
      "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaStreamWaitEvent"};
  for (const auto& events : job_->ranks) {
    std::map<std::int64_t, const TestEvent*> calls;
    std::multimap<std::int64_t, const TestEvent*> device;  // a graph's launch has many
    std::map<std::int64_t, int> starts, ends;
    for (const TestEvent& event : events) {
      if (event.Is("cuda_runtime")) {
        EXPECT_TRUE(calls.emplace(event.correlation, &event).second);
      } else if (event.IsDeviceWork() || event.Is("cuda_sync")) {
        EXPECT_TRUE(event.graph >= 0 || !device.contains(event.correlation));
        device.emplace(event.correlation, &event);
      } else if (event.Is("ac2g")) {
        ++(event.phase == "s" ? starts : ends)[event.flow];
      }
    }
    for (const auto& [correlation, event] : device) {
      ASSERT_TRUE(calls.contains(correlation)) << event->name;
      const TestEvent& call = *calls[correlation];
      EXPECT_EQ(call.external_id, event->external_id);
      EXPECT_EQ(starts[correlation], 1);
      EXPECT_EQ(static_cast<std::size_t>(ends[correlation]), device.count(correlation));
      if (event->Is("kernel")) {
        EXPECT_GE(event->begin_ns, call.end_ns) << event->name;
      } else {
        EXPECT_GE(event->begin_ns, call.begin_ns) << event->name;
      }
    }
    for (const auto& [correlation, call] : calls) {
      EXPECT_EQ(device.contains(correlation), launching.contains(call->name)) << call->name;
    }
  }
}

TEST_P(SimulatedJobTest, WaitsNameARecordThatCameBefore) {
  for (const auto& events : job_->ranks) {
    std::map<std::int64_t, std::int64_t> records;  // correlation to end
    for (const TestEvent& event : events) {
      if (event.name == "cudaEventRecord") records[event.correlation] = event.end_ns;
    }
    int waits = 0;
    for (const TestEvent& event : events) {
      if (event.name != "Stream Wait Event") continue;
      ++waits;
      ASSERT_TRUE(records.contains(event.waits_for));
      EXPECT_LE(records[event.waits_for], event.begin_ns);
    }
    EXPECT_GE(waits, kTestSteps - 1);
  }
}

// The work of a rank's streams by correlation, which counts calls in the order of the host.
using WorkByCall = std::map<std::int64_t, std::map<std::int64_t, const TestEvent*>>;
WorkByCall StreamsOf(const std::vector<TestEvent>& events) {
  WorkByCall streams;
  for (const TestEvent& event : events) {
    if (event.IsDeviceWork()) streams[event.tid][event.correlation] = &event;
  }
  return streams;
}

// When the work of a stream that was launched before a call is done.
std::int64_t DoneBefore(const std::map<std::int64_t, const TestEvent*>& stream,
                        std::int64_t correlation) {
  const auto after = stream.lower_bound(correlation);
  return after == stream.begin() ? 0 : std::prev(after)->second->end_ns;
}

TEST_P(SimulatedJobTest, WorkBeginsAfterTheEventsThatItsStreamWaitsFor) {
  int checked = 0;
  for (const auto& events : job_->ranks) {
    WorkByCall streams = StreamsOf(events);
    for (const TestEvent& event : events) {
      if (event.name != "Stream Wait Event") continue;
      const auto next = streams[event.tid].upper_bound(event.correlation);
      if (next == streams[event.tid].end()) continue;
      const std::int64_t done = DoneBefore(streams[event.waits_on_stream], event.waits_for);
      ASSERT_GE(next->second->begin_ns, done) << next->second->name;
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST_P(SimulatedJobTest, SyncsReturnWhenTheWorkIsDone) {
  int checked = 0;
  for (const auto& events : job_->ranks) {
    WorkByCall streams = StreamsOf(events);
    for (const TestEvent& event : events) {
      if (event.name != "Stream Sync") continue;
      ASSERT_GE(event.end_ns, DoneBefore(streams[event.tid], event.correlation));
      ++checked;
    }
  }
  EXPECT_GE(checked, GetParam().run_ahead ? 0 : kTestSteps);
}

TEST_P(SimulatedJobTest, AtMost1024LaunchesOfTheComputeStreamAreUnfinished) {
  constexpr std::size_t kQueue = 1024;
  constexpr std::int64_t kComputeStream = 7;
  for (const auto& events : job_->ranks) {
    std::map<std::int64_t, std::int64_t> call_ends;
    for (const TestEvent& event : events) {
      if (event.Is("cuda_runtime")) call_ends[event.correlation] = event.end_ns;
    }
    std::vector<std::int64_t> ends;
    WorkByCall streams = StreamsOf(events);
    for (const auto& [correlation, work] : streams[kComputeStream]) {
      if (ends.size() >= kQueue) {
        ASSERT_GE(call_ends[correlation], ends[ends.size() - kQueue]);
      }
      ends.push_back(work->end_ns);
    }
  }
}

TEST_P(SimulatedJobTest, ACollectiveEndsOnAllMembersTogether) {
  // By the group's ranks and the order in it; sends by who sends to whom and their order.
  struct Seen {
    std::set<std::int64_t> begins, ends;
    std::size_t members = 0, expected = 0;
  };
  std::map<std::string, Seen> seen;
  for (int rank = 0; rank < Ranks(); ++rank) {
    EXPECT_LE(std::abs(Number(Truth(rank), "clock_offset_ns")), 5'000'000);
    std::map<std::string, int> sends;
    for (const TestEvent& event : job_->ranks[static_cast<std::size_t>(rank)]) {
      if (!event.Is("kernel") || event.collective < 0) continue;
      EXPECT_THAT(event.name, HasSubstr("ncclDevKernel_"));
      std::string key = fmt::format("{} {} {}", event.group, event.group_ranks, event.collective);
      std::size_t expected = event.group_size;
      if (event.source >= 0 || event.destination >= 0) {
        key = fmt::format("{} to {}", event.source >= 0 ? event.source : rank,
                          event.destination >= 0 ? event.destination : rank);
        key += fmt::format(" {}", sends[key]++);
        expected = 2;
      }
      Seen& meeting = seen[key];
      meeting.expected = expected;
      ++meeting.members;
      meeting.begins.insert(TrueNs(rank, event.begin_ns));
      meeting.ends.insert(TrueNs(rank, event.end_ns));
    }
  }
  EXPECT_GE(seen.size(), Kind() == JobKind::kSingle ? 0U : 4U);
  for (const auto& [key, meeting] : seen) {
    EXPECT_EQ(meeting.members, meeting.expected) << key;
    EXPECT_LE(*meeting.ends.rbegin() - *meeting.ends.begin(), 2) << key;  // rounding of the drift
    EXPECT_LT(*meeting.begins.rbegin(), *meeting.ends.begin()) << key;
  }
}

TEST_P(SimulatedDdpTest, CommunicationWaitsForComputeAndTheOptimizerForCommunication) {
  for (const auto& events : job_->ranks) {
    std::int64_t last_backward = 0, last_all_reduce = 0;
    for (const TestEvent& event : events) {
      if (!event.Is("kernel")) continue;
      const bool optimizer = event.name.find("multi_tensor_apply") != std::string::npos;
      if (event.collective >= 0) {
        EXPECT_GE(event.begin_ns, last_backward);
        last_all_reduce = std::max(last_all_reduce, event.end_ns);
      } else if (optimizer) {
        EXPECT_GE(event.begin_ns, last_all_reduce);
      } else {
        last_backward = event.end_ns;
      }
    }
  }
}

TEST_P(SimulatedJobTest, ForwardAndBackwardAreJoined) {
  int joined_by_all = 0;
  for (const auto& events : job_->ranks) {
    std::map<std::int64_t, const TestEvent*> forward, starts;
    int joined = 0;
    for (const TestEvent& event : events) {
      if (event.Is("fwdbwd") && event.phase == "s") starts[event.flow] = &event;
      if (event.Is("cpu_op") && event.forward_thread == 0) forward[event.sequence] = &event;
    }
    for (const TestEvent& event : events) {
      if (!event.Is("fwdbwd") || event.phase != "f") continue;
      ASSERT_TRUE(starts.contains(event.flow));
      EXPECT_LT(starts[event.flow]->begin_ns, event.begin_ns);
      EXPECT_NE(starts[event.flow]->tid, event.tid);
      ASSERT_TRUE(forward.contains(event.flow));
      EXPECT_EQ(forward[event.flow]->begin_ns, starts[event.flow]->begin_ns);
      ++joined;
    }
    EXPECT_EQ(joined, static_cast<int>(starts.size()));
    joined_by_all += joined;
  }
  EXPECT_GT(joined_by_all, 100);
}

TEST_P(SimulatedJobTest, MemoryInstantsAddUp) {
  for (const auto& events : job_->ranks) {
    std::int64_t allocated = -1, first = 0;
    for (const TestEvent& event : events) {
      if (event.name != "[memory]") continue;
      if (allocated >= 0) {
        ASSERT_EQ(event.allocated_bytes, allocated + event.bytes);
      } else {
        first = event.allocated_bytes - event.bytes;
      }
      allocated = event.allocated_bytes;
    }
    EXPECT_EQ(allocated, first);
  }
}

// The steps of a device: each ends with the last kernel whose call begins before the next mark.
std::vector<Interval> DeviceSteps(const std::vector<TestEvent>& events) {
  std::vector<std::int64_t> marks;
  std::map<std::int64_t, std::int64_t> called_ns;
  for (const TestEvent& event : events) {
    if (event.Is("user_annotation") && event.name.starts_with("ProfilerStep#")) {
      marks.push_back(event.begin_ns);
    }
    if (event.Is("cuda_runtime")) called_ns[event.correlation] = event.begin_ns;
  }
  std::vector<std::int64_t> ends(marks.size(), marks.front());
  for (const TestEvent& event : events) {
    if (!event.Is("kernel")) continue;
    const auto next = std::upper_bound(marks.begin(), marks.end(), called_ns.at(event.correlation));
    std::int64_t& end = ends[static_cast<std::size_t>(next - marks.begin()) - 1];
    end = std::max(end, event.end_ns);
  }
  std::vector<Interval> steps;
  std::int64_t begin = marks.front();
  for (const std::int64_t end : ends) {
    steps.push_back({begin, std::max(begin, end)});
    begin = steps.back().end;
  }
  return steps;
}

TEST_P(SimulatedJobTest, TruthAgreesWithIntervalArithmeticOnTheTrace) {
  for (int rank = 0; rank < Ranks(); ++rank) {
    const auto& events = job_->ranks[static_cast<std::size_t>(rank)];
    std::vector<Interval> compute, communication, copies;
    for (const TestEvent& event : events) {
      const Interval interval{event.begin_ns, event.end_ns};
      if (event.Is("gpu_memcpy")) copies.push_back(interval);
      if (event.Is("kernel")) (event.collective < 0 ? compute : communication).push_back(interval);
    }
    const IntervalSet first = Normalise(compute), second = Normalise(communication),
                      third = Normalise(copies);
    const IntervalSet exposed = Subtract(second, first);
    const IntervalSet exposed_copies = Subtract(third, Unite(first, second));
    const std::vector<Interval> steps = DeviceSteps(events);
    const std::vector<json::Value> windows = Truth(rank)["windows"].Items();
    ASSERT_EQ(windows.size(), static_cast<std::size_t>(kTestSteps));
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(kTestSteps));
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const json::Value& truth = windows[i];
      const Interval window{Number(truth, "begin_ns"), Number(truth, "end_ns")};
      EXPECT_EQ(window.begin, steps[i].begin);
      EXPECT_EQ(window.end, steps[i].end);
      const auto expect = [&](std::string_view key, const IntervalSet& set) {
        EXPECT_EQ(Number(truth, key), Total(Clip(set, window))) << key;
      };
      expect("compute_ns", first);
      expect("communication_ns", second);
      expect("copy_ns", third);
      expect("exposed_communication_ns", exposed);
      expect("exposed_copy_ns", exposed_copies);
      EXPECT_EQ(Number(truth, "compute_ns") + Number(truth, "exposed_communication_ns") +
                    Number(truth, "exposed_copy_ns") + Number(truth, "idle_ns"),
                window.end - window.begin);
    }
  }
}

TEST_P(SimulatedJobTest, TruthCountsWhatTheFileHolds) {
  for (int rank = 0; rank < Ranks(); ++rank) {
    std::map<std::string, std::int64_t> counts;
    for (const TestEvent& event : job_->ranks[static_cast<std::size_t>(rank)]) {
      ++counts["events"];
      const bool flow = event.Is("ac2g") || event.Is("fwdbwd");
      const std::string kind = flow                      ? "flow_" + event.phase
                               : event.collective >= 0   ? "collective " + event.category
                               : !event.category.empty() ? event.category
                                                         : "metadata";
      ++counts[kind];
    }
    const json::Value truth = Truth(rank)["counts"];
    EXPECT_EQ(counts["events"], Number(truth, "events"));
    EXPECT_NEAR(static_cast<double>(counts["events"]), 20'000, 2'000);
    EXPECT_EQ(counts["cpu_op"] + counts["collective cpu_op"], Number(truth, "ops"));
    EXPECT_EQ(counts["user_annotation"], Number(truth, "annotations"));
    EXPECT_EQ(counts["gpu_user_annotation"], Number(truth, "device_annotations"));
    EXPECT_EQ(counts["cuda_runtime"], Number(truth, "runtime_calls"));
    EXPECT_EQ(counts["kernel"], Number(truth, "compute_kernels"));
    EXPECT_EQ(counts["collective kernel"], Number(truth, "communication_kernels"));
    EXPECT_EQ(counts["gpu_memcpy"], Number(truth, "copies"));
    EXPECT_EQ(counts["cuda_sync"], Number(truth, "syncs"));
    EXPECT_EQ(counts["cpu_instant_event"], Number(truth, "memory"));
    EXPECT_EQ(counts["python_function"], Number(truth, "python"));
    EXPECT_EQ(counts["flow_s"], Number(truth, "flow_starts"));
    EXPECT_EQ(counts["flow_f"], Number(truth, "flow_ends"));
    EXPECT_EQ(counts["metadata"] + counts["Trace"], Number(truth, "metadata"));
  }
}

TEST_P(SimulatedDdpTest, TheSlowRankComputesLongerAndTheOthersWaitForIt) {
  const auto sum = [this](int rank, std::string_view key) {
    std::int64_t total = 0;
    for (const json::Value& window : Truth(rank)["windows"].Items()) {
      total += Number(window, key);
    }
    return static_cast<double>(total);
  };
  for (int rank = 0; rank < Ranks(); ++rank) {
    if (rank == kTestSlowRank) continue;
    EXPECT_NEAR(sum(kTestSlowRank, "compute_ns") / sum(rank, "compute_ns"), 1.25, 0.01);
    EXPECT_GT(sum(rank, "collective_wait_ns"), 10 * sum(kTestSlowRank, "collective_wait_ns"));
  }
}

}  // namespace
}  // namespace rankscope::sim
