#include "capture/job_capture.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/until.h"

namespace rankscope::capture {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A host with so many ranks, which answers as an agent does.
struct FakeHost {
  std::int64_t first_rank = 0;
  std::int64_t ranks = 0;
  std::int64_t world_size = 0;
  std::int64_t ahead_us = 0;
  std::string ends = "written";  // what its processes come to
  std::string snapshots_end = "written";
  int looks_until_end = 2;
  bool answers = true;
  bool is_silent = false;  // it was there
  bool knows_snapshots = true;
  bool loses_start = false;  // does what it is told, and its answer does not come
  // What it was asked.
  int looks = 0;
  std::string start_request;
  std::int64_t start_unix_ms = 0;
  bool is_cancelled = false;
  int snapshots_asked = 0;
  std::int64_t round_up = 0;
  double step_time_s = 0;  // that its first process has told; 0: none has
};

std::string MembersJson(const FakeHost& host) {
  const bool is_over = host.looks >= host.looks_until_end || host.is_cancelled;
  std::string json = fmt::format("{{\"over\":{},\"members\":[", is_over || host.ranks == 0);
  for (std::int64_t i = 0; i < host.ranks; ++i) {
    json += fmt::format("{}{{\"inside\":{},\"rank\":{},\"world_size\":{},\"state\":\"{}\"}}",
                        i > 0 ? "," : "", 100 + i, host.first_rank + i, host.world_size,
                        host.is_cancelled           ? "cancelled"
                        : !is_over                  ? "waiting"
                        : host.snapshots_asked == 0 ? host.ends.c_str()
                                                    : host.snapshots_end.c_str());
  }
  return json + "]}";
}

std::string StepTimeJson(const FakeHost& host) {
  if (host.step_time_s == 0) return R"({"metrics":[]})";
  return fmt::format(R"({{"metrics":[{{"name":"rankscope_job_value","labels":{{"job":"4711",)"
                     R"("name":"step_time_s"}},"value":{}}}]}})",
                     host.step_time_s);
}

class FakeAgents final : public AgentChannel {
 public:
  std::map<std::string, FakeHost> hosts;

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, host] : hosts) names.push_back(name);
    return names;
  }
  Result<HostClock> Meet(const std::string& name) override {
    const std::scoped_lock lock(mutex_);
    if (!hosts.at(name).answers) return Error(StatusCode::kIo, "{}: does not answer", name);
    return HostClock{.ahead_us = hosts.at(name).ahead_us, .uncertainty_us = 1500};
  }
  Result<std::string> Call(const std::string& name, const RequestWriter& write) override {
    std::string request;
    json::Writer members(request);
    write(members.BeginObject());
    members.EndObject();
    const std::scoped_lock lock(mutex_);
    FakeHost& host = hosts.at(name);
    if (host.is_silent) return Error(StatusCode::kIo, "{}: does not answer", name);
    if (!host.knows_snapshots && request.find("0123456789abcdef:2") != std::string::npos)
      return std::string(R"({"error":"there is no capture"})");
    if (request.find("\"fn\":\"cancelCapture\"") != std::string::npos) {
      host.is_cancelled = true;
      return std::string("{\"cancelled\":true}");
    }
    if (request.find("\"fn\":\"getCapture\"") != std::string::npos) {
      ++host.looks;
      return MembersJson(host);
    }
    if (request.find("\"fn\":\"getMetrics\"") != std::string::npos) {
      EXPECT_NE(request.find(R"("labels":{"name":"step_time_s"})"), std::string::npos) << request;
      return StepTimeJson(host);
    }
    if (request.find("\"memory_snapshot\":true") != std::string::npos) {
      EXPECT_NE(request.find("\"id\":\"0123456789abcdef:2\""), std::string::npos) << request;
      EXPECT_NE(request.find("/rankscope-0123456789abcdef.pickle\""), std::string::npos) << request;
      ++host.snapshots_asked;
      host.looks = 0;
    }
    host.start_request = request;
    std::smatch found;
    if (std::regex_search(request, found, std::regex("\"start_unix_ms\":([0-9]+)")))
      host.start_unix_ms = std::stoll(found[1]);
    if (std::regex_search(request, found, std::regex("\"iteration_roundup\":([0-9]+)")))
      host.round_up = std::stoll(found[1]);
    if (host.loses_start) return Error(StatusCode::kIo, "{}: did not answer", name);
    if (host.ranks == 0) return std::string("{\"id\":\"\",\"warnings\":[]}");
    return std::string("{\"id\":\"x\",\"warnings\":[]}");
  }

 private:
  std::mutex mutex_;
};

// No time passes but by pauses.
class FakeTime final : public CaptureTime {
 public:
  std::int64_t SteadyMs() override { return steady_ms; }
  std::int64_t UnixMs() override { return 1'700'000'000'000 + steady_ms; }
  void Pause(std::int64_t ms, const std::atomic<bool>&) override {
    steady_ms += ms;
    if (on_pause) on_pause();
  }
  std::atomic<std::int64_t> steady_ms = 1000;
  std::function<void()> on_pause;
};

class FakeRun final : public CaptureRun {
 public:
  std::optional<std::vector<std::string>> files;  // that are here; nullopt: all, whatever they are
  bool is_made = false, is_finished = false, is_removed = false;

  Result<std::string> Make(const CaptureRequest&) override {
    is_made = true;
    return std::string("0123456789abcdef");
  }
  Result<std::vector<std::string>> Files() override {
    if (files_fail) return Error(StatusCode::kIo, "the server answers 503");
    constexpr std::size_t kAll = 10'000;
    return files ? *files : std::vector<std::string>(kAll, "x");
  }
  Status Finish() override {
    if (finish_fails) return Error(StatusCode::kIo, "the server answers 503");
    is_finished = true;
    return OkStatus();
  }
  bool files_fail = false, finish_fails = false;
  void Remove() override { is_removed = true; }
};

TEST(JobCapture, AllHostsStartAtOneMomentByTheirOwnClocks) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 2, .world_size = 5};
  agents.hosts["b"] = {.first_rank = 2, .ranks = 2, .world_size = 5, .ahead_us = 2'500'000};
  agents.hosts["c"] = {.first_rank = 4, .ranks = 1, .world_size = 5, .ahead_us = -1'400};
  FakeRun run;
  std::vector<Phase> phases;
  JobCapture job({}, agents.Names(), agents, run, [&](const CaptureState& state) {
    if (phases.empty() || phases.back() != state.phase) phases.push_back(state.phase);
  });
  ASSERT_TRUE(job.Run().ok());
  EXPECT_TRUE(run.is_finished);
  EXPECT_FALSE(run.is_removed);
  EXPECT_THAT(phases,
              ElementsAre(Phase::kAsking, Phase::kRecording, Phase::kSending, Phase::kDone));
  EXPECT_EQ(agents.hosts["b"].start_unix_ms - agents.hosts["a"].start_unix_ms, 2500);
  // What the uncertainty may be all of is no offset.
  EXPECT_EQ(agents.hosts["c"].start_unix_ms, agents.hosts["a"].start_unix_ms);
  const CaptureState state = job.State();
  EXPECT_EQ(state.asked, 5U);
  EXPECT_EQ(state.written, 5U);
  EXPECT_EQ(state.run, "0123456789abcdef");
  EXPECT_THAT(Missing(state), IsEmpty());
}

TEST(JobCapture, AgentsAreAskedForNoMoreThanIsWanted) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 1, .world_size = 1};
  FakeRun run;
  JobCapture by_time({}, agents.Names(), agents, run, {});
  ASSERT_TRUE(by_time.Run().ok());
  FakeHost& host = agents.hosts["a"];
  EXPECT_EQ(host.start_request,
            fmt::format(R"({{"fn":"startCapture","process_limit":1000,"id":"0123456789abcdef:1",)"
                        R"("source":"capture","log_file":"/tmp/rankscope-0123456789abcdef)"
                        R"(.pt.trace.json","duration_ms":500,"start_unix_ms":{},"shapes":false,)"
                        R"("stacks":false,"memory":false,"cpu":false}})",
                        host.start_unix_ms));
  JobCapture by_steps({.job = "4711", .pids = {7}, .steps = 3, .snoop_ms = 200}, agents.Names(),
                      agents, run, {});
  ASSERT_TRUE(by_steps.Run().ok());
  EXPECT_THAT(host.start_request, HasSubstr(R"("job":"4711","pids":[7],)"));
  EXPECT_THAT(host.start_request, HasSubstr(R"("iterations":3,"iteration_roundup":10,)"));
  EXPECT_THAT(host.start_request, HasSubstr(R"("cpu":false,"snoop_ms":200})"));
}

TEST(JobCapture, SnapshotsOfThoseThatWroteTracesComeWithThem) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 2, .world_size = 5};
  agents.hosts["b"] = {.first_rank = 2, .ranks = 1, .world_size = 5, .snapshots_end = "timed_out"};
  agents.hosts["c"] = {.first_rank = 3, .ranks = 2, .world_size = 5, .ends = "died"};
  FakeRun run;
  run.files = {{"rank0-a-100.json.gz", "rank1-a-101.json.gz", "rank2-b-100.json.gz",
                "rank0-a-100.pickle.gz", "rank1-a-101.pickle.gz"}};
  std::vector<Phase> phases;
  JobCapture job({.snapshot_ms = 2000}, agents.Names(), agents, run,
                 [&](const CaptureState& state) {
                   if (phases.empty() || phases.back() != state.phase)
                     phases.push_back(state.phase);
                 });
  ASSERT_TRUE(job.Run().ok());
  EXPECT_TRUE(run.is_finished);
  EXPECT_THAT(phases, ElementsAre(Phase::kAsking, Phase::kRecording, Phase::kSnapshots,
                                  Phase::kSending, Phase::kDone));
  EXPECT_EQ(agents.hosts["a"].snapshots_asked, 1);
  EXPECT_EQ(agents.hosts["c"].snapshots_asked, 0) << "nobody there wrote a trace";
  const CaptureState state = job.State();
  EXPECT_EQ(state.written, 3U);
  EXPECT_EQ(state.snapshots, 2U);
  EXPECT_THAT(Missing(state),
              ElementsAre("b: pid 100 (rank 2): snapshot: timed_out", "c: pid 100 (rank 3): died",
                          "c: pid 101 (rank 4): died"));
}

TEST(JobCapture, WhatIsMissingIsNamedAndTheOthersAreTheRun) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 2, .world_size = 12};
  agents.hosts["b"] = {.first_rank = 2, .ranks = 1, .world_size = 12, .ends = "died"};
  agents.hosts["c"] = {.answers = false};
  agents.hosts["d"] = {.ranks = 0};
  FakeRun run;
  run.files = {{"rank0-a-100.json.gz"}};
  FakeTime time;
  JobCapture job({}, agents.Names(), agents, run, nullptr, time);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_TRUE(run.is_finished);
  EXPECT_THAT(Missing(job.State()),
              ElementsAre(HasSubstr("a: pid 101 (rank 1): written, and did not reach the server"),
                          "b: pid 100 (rank 2): died", "c: does not answer",
                          "d: no process of the job asks for work there",
                          "9 ranks are on no host that was asked: 3, 4, 5, 6, 7, ..."));
  EXPECT_GT(time.steady_ms, 900'000) << "as long as it was asked for";
}

TEST(JobCapture, AnExceptionCostsItsHost) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 2, .world_size = 4};
  FakeRun run;
  run.files = {{"rank0-a-100.json.gz", "rank1-a-101.json.gz"}};
  // std::map::at throws of what it does not have.
  FakeTime time;
  JobCapture job({}, {"a", "unknown"}, agents, run, nullptr, time);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_TRUE(run.is_finished);
  const CaptureState state = job.State();
  EXPECT_EQ(state.phase, Phase::kDone);
  EXPECT_EQ(state.written, 2U);
  EXPECT_THAT(Missing(state), Contains(HasSubstr("unknown: ")));
}

TEST(JobCapture, AnExceptionEndsNothingButTheCapture) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 2, .world_size = 4};
  FakeRun run;
  FakeTime time;
  JobCapture job(
      {}, {"a"}, agents, run,
      [](const CaptureState& state) {
        if (state.phase == Phase::kRecording) throw std::runtime_error("nobody listens");
      },
      time);
  EXPECT_EQ(job.Run().message(), "nobody listens");
  EXPECT_EQ(job.State().phase, Phase::kFailed);
  EXPECT_THAT(job.State().reason, HasSubstr("nobody listens"));
  EXPECT_TRUE(agents.hosts["a"].is_cancelled);
}

TEST(RoundUp, HasTheStepsBetweenTwoPolls) {
  EXPECT_EQ(RoundUpFor(10, 0), 10);
  EXPECT_EQ(RoundUpFor(10, 1.0), 10);
  EXPECT_EQ(RoundUpFor(10, 0.5), 10);
  EXPECT_EQ(RoundUpFor(10, 0.1), 50);
  EXPECT_EQ(RoundUpFor(10, 0.09), 60) << "56 steps";
  EXPECT_EQ(RoundUpFor(7, 0.5), 14);
  EXPECT_EQ(RoundUpFor(100, 0.1), 100);
  EXPECT_EQ(RoundUpFor(10, 1e-12), 1'000'000);
  EXPECT_EQ(RoundUpFor(10, -1), 10);
}

TEST(JobCapture, QuickStepsRaiseTheRoundUpOnAllHosts) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 1, .world_size = 3, .step_time_s = 0.25};
  agents.hosts["b"] = {.first_rank = 1, .ranks = 1, .world_size = 3, .step_time_s = 0.125};
  agents.hosts["c"] = {.first_rank = 2, .ranks = 1, .world_size = 3};
  FakeRun run;
  JobCapture job({.steps = 3}, agents.Names(), agents, run, nullptr);
  ASSERT_TRUE(job.Run().ok());
  for (const auto& [name, host] : agents.hosts) EXPECT_EQ(host.round_up, 40) << name;
  EXPECT_THAT(job.State().warnings,
              ElementsAre(HasSubstr("from the next multiple of 40 on, not of 10")));
  // Another job's steps are its own.
  JobCapture other({.job = "12", .steps = 3}, agents.Names(), agents, run, nullptr);
  ASSERT_TRUE(other.Run().ok());
  EXPECT_EQ(agents.hosts["a"].round_up, 10);
  EXPECT_THAT(other.State().warnings, IsEmpty());
}

TEST(JobCapture, NothingStaysBehindOneThatGetsNothing) {
  FakeAgents agents;
  agents.hosts["a"] = {.ranks = 2, .ends = "refused"};
  agents.hosts["b"] = {.ranks = 2, .ends = "timed_out"};
  FakeRun run;
  run.files.emplace();
  JobCapture job({}, agents.Names(), agents, run, nullptr);
  const Status status = job.Run();
  EXPECT_THAT(status.message(), HasSubstr("no process wrote a trace; what the processes print"));
  EXPECT_TRUE(run.is_removed);
  EXPECT_EQ(job.State().run, "");
  EXPECT_EQ(job.State().phase, Phase::kFailed);
  // There is not even a run when nobody answers.
  agents.hosts = {{"a", {.answers = false}}};
  FakeRun never;
  JobCapture nobody({}, agents.Names(), agents, never, nullptr);
  EXPECT_THAT(nobody.Run().message(),
              HasSubstr("no agent answers; a: does not answer: start rankscope-agent"));
  EXPECT_FALSE(never.is_made);
}

// It may have been told, so it is told not to.
TEST(JobCapture, AHostWhoseAnswerWasLostIsCancelled) {
  FakeAgents agents;
  agents.hosts["a"] = {.ranks = 1};
  agents.hosts["b"] = {.ranks = 1, .loses_start = true};
  FakeRun run;
  JobCapture job({}, agents.Names(), agents, run, nullptr);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_TRUE(agents.hosts["b"].is_cancelled);
  EXPECT_FALSE(agents.hosts["a"].is_cancelled);
  EXPECT_THAT(Missing(job.State()), Contains("b: did not answer"));
}

TEST(JobCapture, CancellingTellsTheHostsAndRemovesTheRun) {
  FakeAgents agents;
  agents.hosts["a"] = {.ranks = 1, .looks_until_end = 1'000'000};
  FakeRun run;
  run.files.emplace();
  JobCapture job({}, agents.Names(), agents, run, nullptr);
  std::thread other([&] {
    EXPECT_TRUE(Until([&] { return job.State().phase == Phase::kRecording; }));
    job.Cancel();
  });
  EXPECT_EQ(job.Run().code(), StatusCode::kCancelled);
  other.join();
  EXPECT_TRUE(agents.hosts["a"].is_cancelled);
  EXPECT_TRUE(run.is_removed);
  EXPECT_EQ(job.State().phase, Phase::kCancelled);
}

TEST(JobCapture, WhatArrivedStaysWhenItIsCancelled) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 1, .world_size = 2};
  agents.hosts["b"] = {.first_rank = 1, .ranks = 1, .world_size = 2, .looks_until_end = 1'000'000};
  FakeRun run;
  run.files.emplace();
  FakeTime time;
  JobCapture job({}, agents.Names(), agents, run, nullptr, time);
  int pauses = 0;
  time.on_pause = [&] {
    if (++pauses == 3) job.Cancel();
    // What was written by then comes a little later.
    if (pauses == 5) run.files = {{"rank0-a-100.json.gz"}};
  };
  EXPECT_EQ(job.Run().code(), StatusCode::kCancelled);
  EXPECT_TRUE(run.is_finished);
  EXPECT_FALSE(run.is_removed);
  EXPECT_TRUE(agents.hosts["b"].is_cancelled);
  const CaptureState state = job.State();
  EXPECT_EQ(state.phase, Phase::kCancelled);
  EXPECT_EQ(state.run, "0123456789abcdef");
  EXPECT_THAT(state.reason, HasSubstr("1 of 2 files"));
}

TEST(JobCapture, ARunOfWhichNothingIsKnownIsNotRemoved) {
  for (const bool files_fail : {true, false}) {
    FakeAgents agents;
    agents.hosts["a"] = {.ranks = 1};
    FakeRun run;
    run.files = {{"rank0-a-100.json.gz"}};
    FakeTime time;
    JobCapture job({}, agents.Names(), agents, run, nullptr, time);
    run.files_fail = files_fail;
    run.finish_fails = !files_fail;
    EXPECT_FALSE(job.Run().ok());
    EXPECT_FALSE(run.is_removed);
    EXPECT_EQ(job.State().run, "0123456789abcdef");
    EXPECT_THAT(job.State().reason, HasSubstr("the run stays as it is"));
  }
}

TEST(JobCapture, AHostWithoutSnapshotsIsNotSilent) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 1, .world_size = 2};
  agents.hosts["b"] = {.first_rank = 1, .ranks = 1, .world_size = 2, .knows_snapshots = false};
  FakeRun run;
  run.files = {{"rank0-a-100.json.gz", "rank0-a-100.pickle.gz"}};
  FakeTime time;
  time.on_pause = [&] {
    if (time.steady_ms > 100'000) run.files->push_back("rank1-b-100.json.gz");
  };
  JobCapture job({.snapshot_ms = 2000}, agents.Names(), agents, run, nullptr, time);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_GT(time.steady_ms, 100'000) << "its trace was waited for";
  EXPECT_THAT(Missing(job.State()), ElementsAre(HasSubstr("snapshots: b:")));
}

TEST(JobCapture, AHostThatFallsSilentIsWaitedForUntilItsDeadline) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 1, .world_size = 2};
  agents.hosts["b"] = {.first_rank = 1, .ranks = 1, .world_size = 2, .looks_until_end = 1'000'000};
  FakeRun run;
  run.files = {{"rank0-a-100.json.gz"}};
  FakeTime time;
  time.on_pause = [&] { agents.hosts["b"].is_silent = true; };
  JobCapture job({.host_wait_ms = 30'000}, agents.Names(), agents, run, nullptr, time);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_TRUE(run.is_finished);
  EXPECT_GE(time.steady_ms, 31'000);
  EXPECT_LT(time.steady_ms, 35'000) << "and no longer";
  EXPECT_THAT(Missing(job.State()), ElementsAre(HasSubstr("b: its agent answers no more"),
                                                "b: pid 100 (rank 1): waiting"));
}

TEST(JobCapture, TracesOfAnAgentThatEndedAreNotWaitedFor) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 1, .world_size = 2};
  agents.hosts["b"] = {.first_rank = 1, .ranks = 1, .world_size = 2};
  FakeRun run;
  run.files = {{"rank0-a-100.json.gz"}};
  FakeTime time;
  JobCapture job({.host_wait_ms = 30'000}, agents.Names(), agents, run, nullptr, time);
  time.on_pause = [&] {
    if (job.State().phase == Phase::kSending) agents.hosts["b"].is_silent = true;
  };
  ASSERT_TRUE(job.Run().ok());
  EXPECT_LT(time.steady_ms, 35'000);
  EXPECT_THAT(Missing(job.State()),
              ElementsAre(HasSubstr("b: its agent answers no more"),
                          HasSubstr("b: pid 100 (rank 1): written, and did not reach")));
}

TEST(JobCapture, WhatIsHereIsAnalysedWhenThatIsAskedFor) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 2, .world_size = 2};
  FakeRun run;
  run.files.emplace();
  FakeTime time;
  time.on_pause = [&] {
    if (time.steady_ms > 12'000) run.files = {{"rank1-a-101.json.gz"}};
  };
  JobCapture job({.analyse_after_ms = 5000}, agents.Names(), agents, run, nullptr, time);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_TRUE(run.is_finished);
  EXPECT_GT(time.steady_ms, 12'000) << "of nothing there is no report";
  EXPECT_LT(time.steady_ms, 14'000);
  EXPECT_THAT(Missing(job.State()),
              ElementsAre(HasSubstr("a: pid 100 (rank 0): written, and did")));
}

TEST(JobCapture, AProcessThatHangsDoesNotHoldUpWhatIsHere) {
  FakeAgents agents;
  agents.hosts["a"] = {.first_rank = 0, .ranks = 1, .world_size = 2};
  agents.hosts["b"] = {.first_rank = 1, .ranks = 1, .world_size = 2, .looks_until_end = 1'000'000};
  FakeRun run;
  run.files = {{"rank0-a-100.json.gz"}};
  FakeTime time;
  JobCapture job({.analyse_after_ms = 5000}, agents.Names(), agents, run, nullptr, time);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_TRUE(run.is_finished);
  EXPECT_GE(time.steady_ms, 5'000);
  EXPECT_LT(time.steady_ms, 8'000);
  EXPECT_THAT(Missing(job.State()), ElementsAre("b: pid 100 (rank 1): waiting"));
}

TEST(JobCapture, TimeOverWhatIsNotThereIsCancelled) {
  FakeAgents agents;
  agents.hosts["a"] = {.ranks = 1};
  agents.hosts["b"] = {.ranks = 1, .looks_until_end = 1'000'000};
  FakeRun run;
  FakeTime time;
  JobCapture job({}, agents.Names(), agents, run, nullptr, time);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_THAT(Missing(job.State()), ElementsAre("b: pid 100 (rank 0): cancelled"));
}

TEST(JobCapture, AThousandHosts) {
  FakeAgents agents;
  for (int i = 0; i < 1000; ++i) {
    agents.hosts[fmt::format("host{:03}", i)] = {
        .first_rank = 8 * i, .ranks = 8, .world_size = 8000, .looks_until_end = 1};
  }
  FakeRun run;
  JobCapture job({}, agents.Names(), agents, run, nullptr);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_EQ(job.State().written, 8000U);
  EXPECT_THAT(Missing(job.State()), IsEmpty());
}

TEST(JobCapture, WhatCannotBeAskedFor) {
  EXPECT_TRUE(Check({}).ok());
  CaptureRequest request;
  request.folder = "relative";
  EXPECT_FALSE(Check(request).ok());
  request.folder = "/tmp\nEVIL=1";
  EXPECT_FALSE(Check(request).ok());
  request = {};
  request.duration_ms = 0;
  EXPECT_FALSE(Check(request).ok());
  request = {};
  request.steps = -1;
  EXPECT_FALSE(Check(request).ok());
  request = {};
  request.round_up = 0;
  EXPECT_FALSE(Check(request).ok());
}

}  // namespace
}  // namespace rankscope::capture
