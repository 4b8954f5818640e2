#include "rerun/run_times.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace rankscope::rerun {
namespace {

class RunTimesTest : public testing::Test {
 protected:
  RunTimesTest() : folder_(testing::TempDir() + "run_times_" + Name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~RunTimesTest() override { std::filesystem::remove_all(folder_); }

  static std::string Name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void Write(const std::string& name, std::string_view text) const {
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/" + name, text).ok());
  }

  std::string folder_;
};

TEST_F(RunTimesTest, OfTheSlowestRank) {
  Write("steps-0-1.times", R"({"clock": "device", "ends_ns": [0, 100, 250, 300]})");
  Write("steps-1-2.times", R"({"clock": "device", "ends_ns": [0, 120, 240]})");
  // A process that did not get to a second step, and files of others.
  Write("steps-2-3.times", R"({"clock": "host", "ends_ns": [0]})");
  Write("trace-0-1.pt.trace.json.gz", "");
  const auto times = ReadRunTimes(folder_);
  ASSERT_TRUE(times.ok() && *times) << times.status().message();
  EXPECT_DOUBLE_EQ((*times)->step_ns, 120);
  EXPECT_EQ((*times)->steps, 2);
  EXPECT_EQ((*times)->ranks, 2);
  EXPECT_TRUE((*times)->is_of_device);
  EXPECT_EQ(RecordingsIn(folder_)->size(), 1U);
}

TEST_F(RunTimesTest, OfNoSteps) {
  EXPECT_EQ(*ReadRunTimes(folder_), std::nullopt);
  EXPECT_EQ(*ReadRunTimes(folder_ + "/not_there"), std::nullopt);
}

TEST_F(RunTimesTest, DamageIsToldWithItsFile) {
  for (const char* text :
       {"", "{", "[]", R"({"clock": "host"})", R"({"ends_ns": [0, 1]})",
        R"({"clock": "host", "ends_ns": [0, "x"]})", R"({"clock": "host", "ends_ns": [0, 0]})"}) {
    Write("steps-0-1.times", text);
    const auto times = ReadRunTimes(folder_);
    ASSERT_FALSE(times.ok()) << text;
    EXPECT_EQ(times.status().code(), StatusCode::kBadData) << text;
    EXPECT_NE(times.status().message().find("steps-0-1.times"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace rankscope::rerun
