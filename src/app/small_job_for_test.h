// A job of two ranks and two steps in a folder of its own, and a listener that remembers.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/listener.h"
#include "app/open_job.h"

namespace rankscope::app {

// Two steps with a kernel each.
inline std::string TraceOfRank(int rank) {
  std::string events;
  for (int step = 0; step < 2; ++step) {
    const int at = 1000 * step + 100;
    events += R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" + std::to_string(step) +
              R"(","pid":1,"tid":1,"ts":)" + std::to_string(at) + R"(,"dur":900},)";
    events += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)" +
              std::to_string(at + 10) + R"(,"dur":5,"args":{"correlation":)" +
              std::to_string(step + 1) + "}},";
    events += R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" +
              std::to_string(at + 50) + R"(,"dur":500,"args":{"device":0,"stream":7,)" +
              R"("correlation":)" + std::to_string(step + 1) + "}},";
  }
  events.pop_back();
  return R"({"schemaVersion":1,"distributedInfo":{"rank":)" + std::to_string(rank) +
         R"(,"world_size":2},"traceEvents":[)" + events + "]}";
}

class Heard final : public Listener {
 public:
  void OnReading(const ReadProgress&) override { ++readings; }
  void OnReadingDone() override { is_done = true; }
  void OnNotice(std::string_view sentence) override { notices.emplace_back(sentence); }
  void OnLeftOut(const std::vector<std::string>& sentences) override { left_out = sentences; }
  bool IsStopped() const override { return is_stopped; }

  int readings = 0;
  bool is_done = false;
  bool is_stopped = false;
  std::vector<std::string> notices;
  std::vector<std::string> left_out;
};

class SmallJobTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("app_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::create_directories(folder_);
    for (int rank = 0; rank < 2; ++rank)
      std::ofstream(folder_ / ("rank" + std::to_string(rank) + ".json")) << TraceOfRank(rank);
    spec_.paths = {folder_.string()};
    spec_.cache.enabled = false;
    spec_.threads = 1;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  JobSpec spec_;
  Heard heard_;
};

}  // namespace rankscope::app
