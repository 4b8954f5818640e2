#include "tune/subject/lease.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/file.h"

namespace rankscope::tune {
namespace {

namespace fs = std::filesystem;

class LeaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "lease_test";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    file_ = folder_ + "/settings";
  }
  void TearDown() override { fs::remove_all(folder_); }

  Lease Begin() {
    EXPECT_TRUE(BeginLease(State(), {.adapter = "a", .url = "http://h:1", .file = file_}).ok());
    return *ReadLease(State()).value();
  }
  std::string State() const { return folder_ + "/state"; }

  std::string folder_, file_;
};

TEST_F(LeaseTest, IsTakenBeforeItIsHeld) {
  ASSERT_TRUE(WriteFileAtomically(file_, "old").ok());
  chmod(file_.c_str(), 0604);
  Lease lease = Begin();
  EXPECT_EQ(lease.state, Lease::kTaken);
  EXPECT_EQ(ReadFile(State() + "/old-settings").value(), "old");
  ASSERT_TRUE(ChangeService(lease, State(), "new", {}).ok());
  EXPECT_EQ(ReadFile(file_).value(), "new");
  EXPECT_EQ((*ReadLease(State()))->state, Lease::kHeld);
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms{0604});
  // Whoever comes now is refused.
  EXPECT_FALSE(BeginLease(State(), {.url = "http://h:1", .file = file_}).ok());
}

TEST_F(LeaseTest, WhatWasThereFirstIsNeverLost) {
  ASSERT_TRUE(WriteFileAtomically(file_, "first").ok());
  for (const char* const content : {"second", "third"}) {
    Lease lease = Begin();
    ASSERT_TRUE(ChangeService(lease, State(), content, {}).ok());
    lease.state = Lease::kKept;
    ASSERT_TRUE(WriteLease(State(), lease).ok());
  }
  EXPECT_EQ(ReadFile(State() + "/old-settings.1").value(), "first");
  EXPECT_EQ(ReadFile(State() + "/old-settings").value(), "second");
}

TEST_F(LeaseTest, AChangeThatFailsSaysWhatItWas) {
  ASSERT_TRUE(WriteFileAtomically(file_, "old").ok());
  Lease lease = Begin();
  lease.folder = folder_;
  lease.apply_within_s = 60;
  const Status status = ChangeService(lease, State(), "new", {"false"});
  EXPECT_NE(status.message().find("'false' ended with 1"), std::string::npos) << status.message();
  EXPECT_FALSE(fs::exists(State() + "/applying"));
}

TEST_F(LeaseTest, AFileOfSettingsIsAFile) {
  EXPECT_FALSE(BeginLease(State(), {.url = "http://h:1", .file = folder_}).ok());
}

}  // namespace
}  // namespace rankscope::tune
