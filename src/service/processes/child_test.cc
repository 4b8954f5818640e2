#include "service/processes/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/until.h"

namespace rankscope::service {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class ChildTest : public ::testing::Test {
 protected:
  ChildTest() : folder_(mkdtemp(name_)) {}
  ~ChildTest() override { std::filesystem::remove_all(folder_); }
  ChildCommand Shell(const std::string& script) const {
    return {.words = {"/bin/sh", "-c", script},
            .folder = folder_,
            .variables = {"PATH=/usr/bin:/bin"},
            .output_file = folder_ + "/output",
            .error_file = folder_ + "/errors"};
  }
  ChildEnd Run(const ChildCommand& command) {
    auto child = Child::Start(command);
    EXPECT_TRUE(child.ok()) << child.status().message();
    EXPECT_TRUE((*child)->WaitFor(kTestLimit));
    return (*child)->End();
  }
  std::string Output() const { return *ReadFile(folder_ + "/output"); }

  char name_[40] = "/tmp/rankscope_child_XXXXXX";
  std::string folder_;
};

TEST_F(ChildTest, RunsWhereAndAsItIsTold) {
  EXPECT_TRUE(Run(Shell("pwd; echo $A; echo told >&2; ls /proc/self/fd | wc -l")).ok());
  EXPECT_THAT(Output(), HasSubstr(folder_ + "\n\n"));
  EXPECT_EQ(*ReadFile(folder_ + "/errors"), "told\n");
  EXPECT_EQ(Run(Shell("exit 3")).exit_code, 3);
  EXPECT_EQ(Describe(Run(Shell("kill -SEGV $$"))), "it was ended by SIGSEGV");
}

TEST_F(ChildTest, SaysWhatCannotBeRun) {
  ChildCommand command = Shell("");
  command.words = {"/nothing/of/the/kind"};
  EXPECT_THAT(Child::Start(command).status().message(), HasSubstr("No such file"));
  command = Shell("");
  command.folder = "/nothing";
  EXPECT_FALSE(Child::Start(command).ok());
}

TEST_F(ChildTest, KeepsLimits) {
  ChildCommand command = Shell("head -c 10000000 /dev/zero > big");
  command.most_file_bytes = 1 << 20;
  EXPECT_FALSE(Run(command).ok());
  EXPECT_LE(std::filesystem::file_size(folder_ + "/big"), std::uintmax_t{1} << 20);
}

TEST_F(ChildTest, IsConfinedWhereTheKernelCan) {
  if (!CanConfine()) GTEST_SKIP() << "this kernel has no Landlock";
  std::filesystem::create_directory(folder_ + "/mine");
  std::filesystem::create_directory(folder_ + "/other");
  std::ofstream(folder_ + "/kept") << "kept";
  ChildCommand command = Shell(
      "echo x > mine/a; echo x > other/a; rm -f kept; truncate -s 0 kept; cat /etc/hostname > "
      "/dev/null && echo "
      "reads");
  command.writable = {folder_ + "/mine"};
  Run(command);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/mine/a"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/other/a"));
  EXPECT_EQ(*ReadFile(folder_ + "/kept"), "kept");
  EXPECT_EQ(Output(), "reads\n");
}

TEST_F(ChildTest, LeavesNothingRunning) {
  std::string pid;
  {
    const auto child = Child::Start(Shell("sleep 1000 & echo $!; wait"));
    ASSERT_TRUE(child.ok());
    EXPECT_TRUE(Until([&] { return !(pid = Output()).empty(); }));
    EXPECT_FALSE((*child)->WaitFor(milliseconds(0)));
  }
  ASSERT_FALSE(pid.empty());
  // Ended, and taken by whoever takes orphans.
  EXPECT_TRUE(Until([&] {
    const auto status = ReadFile("/proc/" + std::to_string(std::stoi(pid)) + "/stat");
    return !status.ok() || status->find(") Z") != std::string::npos;
  }));
}

}  // namespace
}  // namespace rankscope::service
