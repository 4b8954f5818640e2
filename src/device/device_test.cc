// Devices by a driver that is none (fake_nvml.cc) and by a tree of files.
#include "device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace rankscope::device {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NvmlTest : public ::testing::Test {
 protected:
  NvmlTest() : file_(testing::TempDir() + "/fake_nvml" + std::to_string(getpid())) {
    setenv("FAKE_NVML", file_.c_str(), 1);
  }
  ~NvmlTest() override { std::filesystem::remove(file_); }

  void Say(std::string_view text) const {
    std::ofstream(file_ + ".new") << text;
    std::filesystem::rename(file_ + ".new", file_);
  }
  static Result<std::unique_ptr<Backend>> Open() { return OpenNvml(FAKE_NVML_LIBRARY); }

  const std::string file_;
};

TEST_F(NvmlTest, WhatTheDriverSaysInOurUnits) {
  Say("count 1\nbusy 37\nmemory_busy 12\nmemory_used 1000\nmemory_total 80000\npower_mw 312500\n"
      "energy_mj 7200000\ncelsius 61\nsm_mhz 1755\nmemory_mhz 2619\nslowdown 5\ncorrected 2\n"
      "uncorrected 0\nprocesses 2\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const auto states = (*opened)->Read();
  ASSERT_TRUE(states.ok()) << states.status().message();
  ASSERT_EQ(states->size(), 1U);
  const DeviceState& state = states->front();
  EXPECT_EQ(state.name, "NVIDIA Fake");
  EXPECT_EQ(state.uuid, "GPU-0");
  EXPECT_EQ(state.busy, 0.37);
  EXPECT_EQ(state.memory_busy, 0.12);
  EXPECT_EQ(state.memory_used_bytes, 1000);
  EXPECT_EQ(state.power_watts, 312.5);
  EXPECT_EQ(state.energy_joules, 7200);
  EXPECT_EQ(state.sm_clock_hz, 1.755e9);
  EXPECT_EQ(state.memory_clock_hz, 2.619e9);
  EXPECT_EQ(state.corrected_errors, 2);
  EXPECT_THAT(*state.slowed_by, ElementsAre("idle", "software_power_cap"));
  ASSERT_EQ(state.processes->size(), 2U);
  EXPECT_EQ((*state.processes)[0].pid, 4711);
  EXPECT_EQ((*state.processes)[0].memory_bytes, 1U << 20);
  EXPECT_EQ((*state.processes)[1].memory_bytes, std::nullopt);
  // A function that this driver does not have, and pipes that this device does not count.
  EXPECT_EQ(state.power_limit_watts, std::nullopt);
  EXPECT_EQ(state.tensor_active, std::nullopt);
  EXPECT_EQ(HealthOf(state).verdict, Verdict::kOk) << "limits that somebody set are no defect";
}

TEST_F(NvmlTest, WhatItDoesNotSayIsUnknown) {
  Say("count 2\nbusy !3\npower_mw !999\nmemory_used 5\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok());
  const auto states = (*opened)->Read();
  ASSERT_TRUE(states.ok());
  for (const DeviceState& state : *states) {
    EXPECT_EQ(state.busy, std::nullopt);
    EXPECT_EQ(state.power_watts, std::nullopt);
    EXPECT_EQ(state.slowed_by, std::nullopt);
    EXPECT_EQ(state.processes, std::nullopt);
    EXPECT_EQ(state.memory_used_bytes, 5);
    EXPECT_EQ(HealthOf(state).verdict, Verdict::kOk);
  }
}

TEST_F(NvmlTest, PipesAreCountedBetweenTwoReadings) {
  Say("count 1\ngpm 1\ntick 1\ngpm5 42.5\ngpm10 80\ngpm61 1024\ngpm12 !3\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->Read()->front().tensor_active, std::nullopt) << "the first gives none";
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  const DeviceState state = (*opened)->Read()->front();
  EXPECT_EQ(state.tensor_active, 0.425);
  EXPECT_EQ(state.dram_active, 0.8);
  EXPECT_EQ(state.nvlink_sent_bytes_per_s, 1024.0 * 1048576);
  EXPECT_EQ(state.fp32_active, std::nullopt);
  EXPECT_EQ((*opened)->Read()->front().tensor_active, std::nullopt) << "too soon to tell";
}

TEST_F(NvmlTest, DevicesThatAreLostAndDriversThatAreGone) {
  Say("count 2\nbusy !15\nhandle1 !15\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok());
  const auto states = (*opened)->Read();
  ASSERT_EQ(states->size(), 2U);
  for (const DeviceState& state : *states) {
    EXPECT_FALSE(state.problem.empty());
    EXPECT_EQ(HealthOf(state).verdict, Verdict::kFailed);
  }
  Say("count !15\n");
  EXPECT_EQ((*opened)->Read().status().code(), StatusCode::kNotFound);
  Say("init !9\n");
  EXPECT_FALSE(Open().ok());
  EXPECT_FALSE(OpenNvml("/no/such/library.so").ok());
  EXPECT_THAT(OpenNvml("libz.so.1").status().message(), HasSubstr("is not NVIDIA's"));
}

TEST(Health, SaysWhy) {
  DeviceState state;
  EXPECT_EQ(HealthOf(state).verdict, Verdict::kOk);
  state.slowed_by = {"hardware_thermal"};
  state.temperature_celsius = 93;
  EXPECT_EQ(HealthOf(state).verdict, Verdict::kDegraded);
  EXPECT_THAT(HealthOf(state).reasons,
              ElementsAre("its clocks are held down: hardware_thermal", "it has 93 C"));
  state.uncorrected_errors = 1;
  EXPECT_EQ(HealthOf(state).verdict, Verdict::kFailed);
}

TEST(Amdgpu, FromATreeOfFiles) {
  const std::string root = testing::TempDir() + "/drm" + std::to_string(getpid());
  const auto write = [&](const std::string& path, std::string_view text) {
    const std::filesystem::path file = root + "/sys/class/drm/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  EXPECT_FALSE(OpenAmdgpu(root).ok());
  write("card0/device/vendor", "0x8086\n");
  write("card10/device/vendor", "0x1002\n");
  write("card2/device/vendor", "0x1002\n");
  write("card2-DP-1/device/vendor", "0x1002\n");
  write("card2/device/product_name", "AMD Instinct MI300X\n");
  write("card2/device/unique_id", "a1b2\n");
  write("card2/device/gpu_busy_percent", "73\n");
  write("card2/device/mem_busy_percent", "junk\n");
  write("card2/device/mem_info_vram_used", "4096");
  write("card2/device/mem_info_vram_total", "");
  write("card2/device/pp_dpm_sclk", "0: 132Mhz\n1: 2100Mhz *\n");
  write("card2/device/hwmon/hwmon3/power1_input", "512000000\n");
  write("card2/device/hwmon/hwmon3/temp2_input", "64000\n");
  write("card2/device/ras/umc_err_count", "ue: 0\nce: 3\n");
  write("card2/device/ras/gfx_err_count", "ue: 1\nce: 1\n");
  const auto opened = OpenAmdgpu(root);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const auto states = (*opened)->Read();
  ASSERT_EQ(states->size(), 2U);
  const DeviceState& state = states->front();
  EXPECT_EQ(state.name, "AMD Instinct MI300X");
  EXPECT_EQ(state.busy, 0.73);
  EXPECT_EQ(state.memory_busy, std::nullopt);
  EXPECT_EQ(state.memory_used_bytes, 4096);
  EXPECT_EQ(state.memory_total_bytes, std::nullopt);
  EXPECT_EQ(state.sm_clock_hz, 2.1e9);
  EXPECT_EQ(state.power_watts, 512);
  EXPECT_EQ(state.temperature_celsius, 64);
  EXPECT_EQ(state.corrected_errors, 4);
  EXPECT_EQ(state.uncorrected_errors, 1);
  EXPECT_EQ((*states)[1].index, 1);
  // Hot removal.
  std::filesystem::remove_all(root);
  EXPECT_EQ((*opened)->Read().status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace rankscope::device
