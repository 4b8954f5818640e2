// Captures by a clock that the test moves, and a file system of its own.
#include "agent/captures/captures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "agent/captures/process_info.h"
#include "wire/kineto_config.h"

namespace rankscope::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CapturesTest : public ::testing::Test {
 protected:
  CapturesTest()
      : folder_(std::filesystem::path(testing::TempDir()) / fmt::format("captures{}", getpid())),
        captures_(folder_ / "root", {}) {
    std::filesystem::create_directories(folder_ / "root");
    for (const pid_t pid : {1, 2, 3}) MakeProcess(pid);
    now_.unix_us = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  }
  ~CapturesTest() override { std::filesystem::remove_all(folder_); }

  void Pass(std::int64_t ms) {
    now_.steady_ms += ms;
    now_.unix_us += 1000 * ms;
  }
  // As /proc shows it: its root is that of the test.
  void MakeProcess(pid_t pid) {
    const std::filesystem::path process = folder_ / "root/proc" / std::to_string(pid);
    std::filesystem::create_directories(process);
    std::filesystem::create_directory_symlink("/", process / "root");
    std::ofstream(process / "status") << fmt::format(
        "Uid:\t{0}\t{0}\nGid:\t{1}\t{1}\nGroups:\t\nCapEff:\t0\n", getuid(), getgid());
  }
  std::vector<std::pair<std::string, CaptureMember>> Tick() {
    captures_.Tick(now_);
    return captures_.Look(now_);
  }
  // The kernel says `pid`, the process itself `pid` + 1000, its parent 500.
  std::string Poll(pid_t pid, std::int32_t type = 2, std::int64_t job = 0) {
    return captures_.OnPoll({.address = "a", .pid = pid, .uid = getuid()},
                            {.type = type, .job = job, .pids = {pid + 1000, 500}}, now_);
  }
  std::string Config(const std::string& more = "") {
    return fmt::format("ACTIVITIES_LOG_FILE={}/t.json\n{}", folder_.string(), more);
  }
  void Write(pid_t inside) { std::ofstream(folder_ / fmt::format("t_{}.json", inside)) << "{}"; }
  MemberState StateOf(const std::string& id, std::size_t member = 0) {
    return captures_.Find(id)->members.at(member).state;
  }

  const std::filesystem::path folder_;
  Now now_{.steady_ms = 1'000'000};
  Captures captures_;
};

TEST_F(CapturesTest, FromTheRequestToTheFile) {
  EXPECT_EQ(Poll(1), "");
  const Triggered made = captures_.Trigger({}, Config(), "rpc", now_);
  EXPECT_THAT(made.triggered, ElementsAre(1001));
  EXPECT_EQ(StateOf(made.id), MemberState::kWaiting);
  // One that records for somebody else asks for nothing, and what waits for it goes on waiting.
  EXPECT_EQ(Poll(1, 0), "");
  EXPECT_EQ(StateOf(made.id), MemberState::kWaiting);
  EXPECT_EQ(Poll(1), wire::WithValue(Config(), "REQUEST_TRACE_ID", made.id));
  EXPECT_EQ(StateOf(made.id), MemberState::kDelivered);
  EXPECT_EQ(Poll(1), "") << "once";
  EXPECT_EQ(Poll(1, 0), "");
  EXPECT_EQ(StateOf(made.id), MemberState::kRecording);
  EXPECT_THAT(Tick(), IsEmpty());
  Write(1001);
  const auto written = Tick();
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].first, made.id);
  EXPECT_EQ(written[0].second.bytes, 2);
  EXPECT_THAT(Tick(), IsEmpty());
  EXPECT_TRUE(captures_.Find(made.id)->IsOver());
}

TEST_F(CapturesTest, AFileOfBeforeIsNone) {
  Poll(1);
  Write(1001);
  Pass(10'000);
  const Triggered made = captures_.Trigger({}, Config(), "rpc", now_);
  Poll(1);
  EXPECT_THAT(Tick(), IsEmpty());
  EXPECT_EQ(StateOf(made.id), MemberState::kDelivered);
}

TEST_F(CapturesTest, WhatIsLinkedToIsNoTrace) {
  Poll(1);
  const Triggered made = captures_.Trigger({}, Config(), "rpc", now_);
  Poll(1);
  std::ofstream(folder_ / "secret") << "secret";
  std::filesystem::create_symlink(folder_ / "secret", folder_ / "t_1001.json");
  EXPECT_THAT(Tick(), IsEmpty());
}

TEST_F(CapturesTest, AStartThatCannotBeMetIsMoved) {
  const auto told = [&](std::int64_t in_ms) {
    Poll(1);
    const std::int64_t start = now_.unix_ms() + 20'000;
    const Triggered made = captures_.Trigger(
        {}, Config(fmt::format("PROFILE_START_TIME={}\nACTIVITIES_WARMUP_PERIOD_SECS=5\n", start)),
        "rpc", now_);
    Pass(20'000 - in_ms);
    const std::string config = Poll(1);
    const auto number = [&](std::string_view key) {
      return std::stoll(wire::ValueIn(config, key).value());
    };
    const auto later = number("PROFILE_START_TIME") - start;
    EXPECT_EQ(captures_.Find(made.id)->warnings.size(), later > 0 ? 1U : 0U);
    captures_.Cancel(made.id);
    return std::pair(later, number("ACTIVITIES_WARMUP_PERIOD_SECS"));
  };
  EXPECT_EQ(told(6000), std::pair(0LL, 5LL)) << "a second for Kineto's controller, five to warm up";
  EXPECT_EQ(told(5999), std::pair(0LL, 4LL));
  EXPECT_EQ(told(1000), std::pair(0LL, 0LL));
  EXPECT_EQ(told(400), std::pair(5000LL, 4LL)) << "and so does who hears of it 4 s later";
  EXPECT_EQ(told(-3900), std::pair(5000LL, 0LL));
  EXPECT_EQ(told(-4100), std::pair(10'000LL, 4LL));
}

TEST_F(CapturesTest, WhomTheKernelDoesNotNameIsNobody) {
  EXPECT_EQ(captures_.OnPoll({.address = "a", .pid = 0}, {.type = 2, .pids = {7}}, now_), "");
  EXPECT_EQ(captures_.OnContext({.address = "a", .pid = 0}, {.pid = 7}, now_), -1);
  EXPECT_THAT(captures_.Processes(), IsEmpty());
}

TEST_F(CapturesTest, AUserReachesHisOwnProcesses) {
  Poll(1);
  EXPECT_THAT(captures_.Trigger({.uid = getuid() + 1}, Config(), "rpc", now_).matched, IsEmpty());
  EXPECT_THAT(captures_.Trigger({.uid = getuid()}, Config(), "rpc", now_).matched,
              ElementsAre(1001));
}

TEST_F(CapturesTest, WhatACancelledOneWritesIsTakenAway) {
  const auto cancelled = [&](bool keeps_files) {
    Poll(1);
    const Triggered made =
        captures_.Trigger({}, Config(), "rpc", now_, {.keeps_files = keeps_files});
    Poll(1);
    Tick();
    captures_.Cancel(made.id);
    EXPECT_EQ(captures_.Find(made.id)->members[0].reason.empty(), false);
    Write(1001);
    EXPECT_THAT(Tick(), IsEmpty());
    return std::filesystem::exists(folder_ / "t_1001.json");
  };
  EXPECT_FALSE(cancelled(false));
  EXPECT_TRUE(cancelled(true)) << "somebody named the file himself";
}

TEST_F(CapturesTest, WhatTheNextCaptureWritesUnderTheNameStays) {
  Poll(1);
  const Triggered first = captures_.Trigger({}, Config(), "rpc", now_);
  Poll(1);
  Tick();
  captures_.Cancel(first.id);
  Tick();
  const Triggered second = captures_.Trigger({}, Config(), "rpc", now_);
  Poll(1);
  Tick();
  Write(1001);
  const auto written = Tick();
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].first, second.id);
  Tick();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "t_1001.json")) << "its taker removes it";
}

TEST_F(CapturesTest, WhatADeadProcessBeganIsTakenAway) {
  Poll(1);
  const Triggered made = captures_.Trigger({}, Config(), "rpc", now_);
  Poll(1);
  Tick();
  std::ofstream(folder_ / "t_1001.json.tmp") << "{";
  // It asks no more: in a tree that is made up nobody lives.
  Pass(61'000);
  Tick();
  EXPECT_EQ(StateOf(made.id), MemberState::kDied);
  Tick();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "t_1001.json.tmp"));
}

TEST_F(CapturesTest, WhatASnapshotLeavesBesideItIsTakenAway) {
  // As PyTorch 2.11 does it: the logger's file stays, without a byte.
  const auto left = [&](bool keeps_files, const std::string& text, bool is_cancelled) {
    const Now begin = now_;  // files have the time of the host
    CaptureLimits limits;
    limits.keeps_files = keeps_files;
    Captures captures(folder_ / "root", limits);
    const wire::Sender from{.address = "a", .pid = 1, .uid = getuid()};
    const wire::KinetoPoll poll{.type = 2, .job = 0, .pids = {1001, 500}};
    captures.OnPoll(from, poll, now_);
    const Triggered made =
        captures.Trigger({},
                         wire::WithValue(Config("PROFILE_MEMORY=true\n"), "ACTIVITIES_LOG_FILE",
                                         folder_.string() + "/m.pickle"),
                         "rpc", now_);
    captures.OnPoll(from, poll, now_);
    std::ofstream(folder_ / "m_1001.pickle.tmp") << text;
    captures.Look(now_);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "m_1001.pickle.tmp")) << "it is not over";
    if (is_cancelled) captures.Cancel(made.id);
    std::ofstream(folder_ / "m_1001.pickle") << "whole.";
    Pass(5000);
    const std::size_t written = captures.Look(now_).size();
    captures.Look(now_);
    now_ = begin;
    EXPECT_EQ(written, is_cancelled ? 0U : 1U);
    EXPECT_EQ(std::filesystem::exists(folder_ / "m_1001.pickle"), !is_cancelled)
        << "its taker removes it";
    const bool is_left = std::filesystem::exists(folder_ / "m_1001.pickle.tmp");
    std::filesystem::remove(folder_ / "m_1001.pickle");
    std::filesystem::remove(folder_ / "m_1001.pickle.tmp");
    return is_left;
  };
  for (const bool is_cancelled : {false, true}) {
    EXPECT_FALSE(left(false, "", is_cancelled));
    EXPECT_FALSE(left(false, "some", is_cancelled));
    EXPECT_FALSE(left(true, "", is_cancelled));
    EXPECT_TRUE(left(true, "some", is_cancelled)) << "capture.keep_files";
  }
}

TEST_F(CapturesTest, WhatIsLeftBesideATraceThatSomebodyNamedStays) {
  Poll(1);
  captures_.Trigger({}, Config(), "rpc", now_, {.keeps_files = true});
  Poll(1);
  std::ofstream(folder_ / "t_1001.json.tmp") << "";
  Write(1001);
  EXPECT_EQ(Tick().size(), 1U);
  Tick();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "t_1001.json.tmp"));
}

TEST_F(CapturesTest, WhoDoesNotAskInTimeAndWhoDoesNotRecord) {
  Poll(1);
  Poll(2);
  const Triggered made =
      captures_.Trigger({}, Config("ACTIVITIES_DURATION_MSECS=1000\n"), "rpc", now_);
  Poll(1);
  // Goes on asking as if it were not told.
  Pass(5000);
  Poll(1);
  Tick();
  EXPECT_EQ(StateOf(made.id), MemberState::kDelivered);
  Pass(8000);
  Poll(1);
  Tick();
  EXPECT_EQ(StateOf(made.id), MemberState::kRefused);
  EXPECT_EQ(StateOf(made.id, 1), MemberState::kWaiting);
  // 5 s to warm up, 1 s to record, 60 s of patience.
  Pass(54'000);
  Tick();
  EXPECT_EQ(StateOf(made.id, 1), MemberState::kTimedOut);
  EXPECT_THAT(captures_.Find(made.id)->members[1].reason, HasSubstr("still training"));
  EXPECT_EQ(Poll(2), "") << "too late";
}

TEST_F(CapturesTest, WhoAsksNothingForAMinuteIsGone) {
  Poll(1);
  Pass(60'000);
  Poll(2);
  Tick();
  EXPECT_EQ(captures_.Processes().size(), 2U);
  Pass(1);
  Tick();
  ASSERT_EQ(captures_.Processes().size(), 1U);
  EXPECT_EQ(captures_.Processes()[0].info.pid, 2);
}

TEST_F(CapturesTest, WhoIsMeant) {
  Poll(1, 2, 7);
  Poll(2, 2, 7);
  Poll(3, 2, 0);
  const auto matched = [&](const Selection& selection) {
    const Triggered made = captures_.Trigger(selection, Config(), "rpc", now_);
    captures_.Cancel(made.id);
    return made.matched;
  };
  EXPECT_THAT(matched({.job = 7}), ElementsAre(1001, 1002));
  EXPECT_THAT(matched({.job = 7, .pids = {0}}), ElementsAre(1001, 1002));
  EXPECT_THAT(matched({.pids = {2}}), ElementsAre(1002)) << "as the host has it";
  EXPECT_THAT(matched({.pids = {1003}}), ElementsAre(1003)) << "as it has itself";
  EXPECT_THAT(matched({.pids = {500}}), ElementsAre(1001, 1002, 1003)) << "by an ancestor";
  EXPECT_THAT(matched({.job = 0, .pids = {1}}), IsEmpty());
}

TEST_F(CapturesTest, ACancelledOneIsNotDelivered) {
  Poll(1);
  const Triggered made = captures_.Trigger({}, Config(), "rpc", now_);
  EXPECT_TRUE(captures_.Cancel(made.id));
  EXPECT_FALSE(captures_.Cancel(made.id));
  EXPECT_EQ(Poll(1), "");
  EXPECT_EQ(captures_.Trigger({}, Config(), "rpc", now_).busy, 0U) << "it is free again";
}

TEST_F(CapturesTest, SnapshotsOfMemoryGetANameEach) {
  Poll(1);
  captures_.Trigger({}, Config("PROFILE_MEMORY=true\n"), "rpc", now_);
  EXPECT_EQ(wire::ValueIn(Poll(1), "ACTIVITIES_LOG_FILE"), folder_.string() + "/t_1001.json");
}

TEST_F(CapturesTest, ASnapshotIsThereWhenItIsWhole) {
  Poll(1);
  const std::string asked = folder_.string() + "/m.pickle";
  const std::string path = folder_.string() + "/m_1001.pickle";
  const std::string config =
      wire::WithValue(Config("PROFILE_MEMORY=true\n"), "ACTIVITIES_LOG_FILE", asked);
  const Triggered made = captures_.Trigger({}, config, "rpc", now_);
  const std::string told = Poll(1);
  EXPECT_EQ(wire::ValueIn(told, "ACTIVITIES_LOG_FILE"), path);
  // Kineto takes the path that comes behind the key.
  EXPECT_LT(told.find("PROFILE_MEMORY="), told.find("ACTIVITIES_LOG_FILE="));
  std::ofstream(path) << "half of it";
  Pass(5000);
  EXPECT_THAT(Tick(), IsEmpty());
  std::ofstream(path, std::ios::app) << ", and the rest.";
  // It says nothing of a snapshot when it asks: that is no refusal.
  for (int i = 0; i < 5; ++i) {
    Pass(5000);
    Poll(1);
  }
  const auto written = Tick();
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written.front().second.path, path);
  EXPECT_TRUE(written.front().second.is_snapshot);
  EXPECT_TRUE(captures_.Find(made.id)->IsOver());
}

TEST_F(CapturesTest, WhatHasWrittenItsTraceCanBeAskedAgain) {
  Poll(1);
  captures_.Trigger({}, Config(), "rpc", now_);
  Poll(1);
  Poll(1, 0);
  EXPECT_EQ(captures_.Trigger({}, Config(), "rpc", now_).busy, 1U);
  Write(1001);
  ASSERT_EQ(Tick().size(), 1U);
  EXPECT_EQ(captures_.Trigger({}, Config(), "rpc", now_).busy, 0U);
}

TEST_F(CapturesTest, ManyProcessesAndCapturesStayBounded) {
  for (pid_t pid = 1; pid <= 5000; ++pid) {
    Pass(1);
    Poll(pid);
  }
  EXPECT_EQ(captures_.Processes().size(), 4096U);
  for (int i = 0; i < 300; ++i)
    captures_.Cancel(captures_.Trigger({.most = 1}, Config(), "rpc", now_).id);
  EXPECT_EQ(captures_.All().size(), 200U);
  for (std::int32_t pid = 1; pid <= 10'000; ++pid)
    captures_.OnContext({.pid = 1, .uid = getuid()}, {.gpu = pid, .pid = pid, .job = pid}, now_);
  EXPECT_EQ(captures_.OnContext({.pid = 1, .uid = getuid()}, {.gpu = 1, .pid = -1}, now_), -1);
}

TEST(ProcessInfo, FromAFakeTree) {
  const std::string root = testing::TempDir() + "/proc_tree" + std::to_string(getpid());
  std::filesystem::create_directories(root + "/proc/7");
  std::ofstream(root + "/proc/7/comm") << "python3\n";
  std::ofstream(root + "/proc/7/stat") << "7 (python3 (x)) S 1 7\n";
  const std::string id(64, 'a');
  std::ofstream(root + "/proc/7/cgroup") << "0::/kubepods/pod1/cri-containerd-" + id + ".scope\n";
  static constexpr char kEnvironment[] =
      "RANK=12\0WORLD_SIZE=many\0LOCAL_RANK=4\0=x\0SLURM_JOB_ID=99\0USER=ada";
  std::ofstream(root + "/proc/7/environ", std::ios::binary)
      << std::string(kEnvironment, sizeof(kEnvironment));
  const ProcessInfo info = ReadProcessInfo(root, 7);
  EXPECT_TRUE(info.is_known);
  EXPECT_EQ(info.command, "python3");
  EXPECT_EQ(info.placed.place.container, id);
  EXPECT_EQ(info.rank, 12);
  EXPECT_EQ(info.local_rank, 4);
  EXPECT_EQ(info.world_size, std::nullopt) << "what is no number is unknown";
  EXPECT_EQ(info.job_id, "99");
  EXPECT_TRUE(IsAlive(root, 7));
  std::ofstream(root + "/proc/7/stat") << "7 (python3 (x)) Z 1 7\n";
  EXPECT_FALSE(IsAlive(root, 7));
  EXPECT_FALSE(ReadProcessInfo(root, 8).is_known);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace rankscope::agent
