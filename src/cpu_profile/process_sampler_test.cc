// A process of Python is sampled for real, where that is permitted.
#include "cpu_profile/process_sampler.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "base/until.h"
#include "cpu_profile/frame_runs.h"
#include "cpu_profile/samples/clock.h"

namespace rankscope::cpu_profile {
namespace {

constexpr std::string_view kScript = R"(
import threading, time
def busy_at_work():
    end = time.time() + 60
    while time.time() < end:
        sum(range(1000))
def waits_for_data():
    threading.Event().wait(60)
def main():
    threading.Thread(target=waits_for_data, daemon=True).start()
    print("ready", flush=True)
    busy_at_work()
main()
)";

// python3 with a script; gone at the end.
class PythonProcess {
 public:
  PythonProcess() : script_(testing::TempDir() + fmt::format("/busy{}.py", getpid())) {
    std::ofstream(script_) << kScript;
    std::array<int, 2> pipe_ends{};
    if (pipe(pipe_ends.data()) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(pipe_ends[1], 1);
      execlp("python3", "python3", script_.c_str(), nullptr);
      _exit(127);
    }
    close(pipe_ends[1]);
    char word[8] = {};
    is_there_ = read(pipe_ends[0], word, sizeof(word)) > 0;
    close(pipe_ends[0]);
  }
  ~PythonProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    std::filesystem::remove(script_);
  }
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool is_there() const { return is_there_; }

 private:
  const std::string script_;
  pid_t pid_ = -1;
  bool is_there_ = false;
};

TEST(ProcessSampler, FunctionsThatRunAndThatWait) {
  const PythonProcess python;
  if (!python.is_there()) GTEST_SKIP() << "there is no python3";
  ProcessSampler sampler({.pid = python.pid()});
  EXPECT_TRUE(Until([&] { return sampler.State().samples >= 200 || sampler.IsOver(); }));
  sampler.Stop();
  EXPECT_TRUE(Until([&] { return sampler.IsOver(); }));
  const SamplingState state = sampler.State();
  if (state.state == SamplingState::State::kOff) GTEST_SKIP() << state.reason;
  const std::vector<Profile> profiles = sampler.Take();
  ASSERT_FALSE(profiles.empty());
  const Profile& profile = profiles.front();
  EXPECT_EQ(profile.kind, "python");
  ASSERT_EQ(profile.threads.size(), 2U);
  const std::string text = CollapsedText(profile);
  EXPECT_THAT(text, ::testing::HasSubstr("): busy_at_work"));
  EXPECT_THAT(text, ::testing::HasSubstr("): waits_for_data"));
  const auto with = [&](std::string_view name) {
    std::size_t count = 0;
    for (const Sample& sample : profile.samples) {
      const std::vector<Node> frames = profile.stacks.FramesOf(sample.stack);
      count += std::ranges::any_of(frames, [&](Node node) {
        return profile.stacks.function(profile.stacks.frame(node).function).name == name;
      });
    }
    return count;
  };
  // Half of what there are, on a machine that does other things besides.
  const std::size_t times = profile.samples.size() / 2;
  EXPECT_GT(times, 10U);
  EXPECT_GT(with("busy_at_work"), times * 9 / 10);
  EXPECT_GT(with("waits_for_data"), times * 9 / 10);
  // One is ready to run all the time, the other one sleeps.
  EXPECT_THAT(text, ::testing::ContainsRegex("waits_for_data;.*wait;\\(sleeping\\) "));
  EXPECT_LT(with("(sleeping)"), times * 3 / 2);
  EXPECT_LT(state.of_core, 0.1);
  if (profiles.size() < 2) GTEST_SKIP() << state.reason;
  // Of an interpreter without frame pointers the innermost function is known, and no more.
  EXPECT_EQ(profiles[1].kind, "native");
  EXPECT_GT(profiles[1].samples.size(), 5U);
  EXPECT_THAT(CollapsedText(profiles[1]), ::testing::HasSubstr("Py"));
}

TEST(ProcessSampler, WhatIsNoPythonSaysSo) {
  const pid_t pid = fork();
  if (pid == 0) {
    execlp("sleep", "sleep", "3600", nullptr);
    _exit(127);
  }
  const std::string name = fmt::format("/proc/{}/comm", pid);
  EXPECT_TRUE(Until([&] {
    std::string said;
    return std::getline(std::ifstream(name), said) && said == "sleep";
  }));
  ProcessSampler sampler({.pid = pid, .end_ns = UnixNow() + 200'000'000});
  EXPECT_TRUE(Until([&] { return sampler.IsOver(); }));
  EXPECT_THAT(sampler.State().reason, ::testing::HasSubstr("python: "));
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

TEST(ProcessSampler, ItEndsWhenItIsToldTo) {
  ProcessSampler sampler({.pid = getpid(), .begin_ns = UnixNow() + 60'000'000'000});
  EXPECT_EQ(sampler.State().state, SamplingState::State::kWaiting);
  EXPECT_TRUE(sampler.Take().empty());
}

}  // namespace
}  // namespace rankscope::cpu_profile
