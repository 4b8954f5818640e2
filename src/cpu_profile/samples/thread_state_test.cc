#include "cpu_profile/samples/thread_state.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rankscope::cpu_profile {
namespace {

TEST(ThreadState, IsBehindTheName) {
  EXPECT_EQ(ParseThreadState("12 (python3) R 1 12"), ThreadState::kRunning);
  EXPECT_EQ(ParseThreadState("12 (pt_data (D) S) S 1 12"), ThreadState::kSleeping);
  EXPECT_EQ(ParseThreadState("12 (a) D 1"), ThreadState::kWaiting);
  EXPECT_EQ(ParseThreadState("12 (a) T 1"), ThreadState::kOther);
  for (const std::string_view damaged : {"", "12", "12 (a)", "12 (a) ", ") "})
    EXPECT_EQ(ParseThreadState(damaged), ThreadState::kOther) << damaged;
}

TEST(ThreadState, OfThisThread) {
  EXPECT_EQ(StateOf(getpid(), static_cast<pid_t>(syscall(SYS_gettid))), ThreadState::kRunning);
  EXPECT_EQ(StateOf(getpid(), 0), ThreadState::kOther);
}

}  // namespace
}  // namespace rankscope::cpu_profile
