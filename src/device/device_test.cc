// Devices by a driver that is none (fake_nvml.cc) and by a tree of files.
#include "device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/flops.h"
#include "device/prometheus_text.h"

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
  Result<std::unique_ptr<Backend>> Open() {
    return OpenNvml(FAKE_NVML_LIBRARY, [this] { return now_; });
  }

  const std::string file_;
  std::chrono::steady_clock::time_point now_;
};

// Up to driver 470 what is used holds what is reserved; from 510 on it is told apart, as nvidia-smi
// shows it.
TEST_F(NvmlTest, MemoryThatIsReservedIsNotUsed) {
  Say("count 1\nmemory_used 1000\nmemory_reserved 640\nmemory_total 80000\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const auto states = (*opened)->Read();
  ASSERT_TRUE(states.ok()) << states.status().message();
  EXPECT_EQ(states->front().memory_used_bytes, 360);
  EXPECT_EQ(states->front().memory_total_bytes, 80000);
}

TEST_F(NvmlTest, WhatTheDriverSaysInOurUnits) {
  Say("count 1\nbusy 37\nmemory_busy 12\nmemory_used 1000\nmemory_total 80000\npower_mw 312500\n"
      "energy_mj 7200000\ncelsius 61\nsm_mhz 1755\nsm_max_mhz 1980\nmemory_mhz 2619\nslowdown "
      "5\ncorrected 2\n"
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
  EXPECT_EQ(state.sm_clock_max_hz, 1.98e9);
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
  now_ += std::chrono::milliseconds(120);
  const DeviceState state = (*opened)->Read()->front();
  EXPECT_EQ(state.tensor_active, 0.425);
  EXPECT_EQ(state.dram_active, 0.8);
  EXPECT_EQ(state.nvlink_sent_bytes_per_s, 1024.0 * 1048576);
  EXPECT_EQ(state.fp32_active, std::nullopt);
  EXPECT_EQ((*opened)->Read()->front().tensor_active, std::nullopt) << "too soon to tell";
  // A profiler wants them, and has them no longer.
  (*opened)->SetCounting(Counting::kPaused);
  now_ += std::chrono::milliseconds(120);
  EXPECT_EQ((*opened)->Read()->front().tensor_active, std::nullopt);
  (*opened)->SetCounting(Counting::kOn);
  EXPECT_EQ((*opened)->Read()->front().tensor_active, std::nullopt) << "the first gives none";
  now_ += std::chrono::milliseconds(120);
  EXPECT_EQ((*opened)->Read()->front().tensor_active, 0.425);
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

TEST_F(NvmlTest, XidsAreCountedAndTheFatalOnesTell) {
  Say("count 2\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->Read()->front().xid_errors, 0) << "counted from here on";
  const auto report = [&](int serial, int number, int index) {
    Say(fmt::format("count 2\nxid_serial {}\nxid {}\nxid_device {}\n", serial, number, index));
    return *(*opened)->Read();
  };
  auto states = report(1, 13, 1);
  EXPECT_EQ(states[0].xid_errors, 0);
  EXPECT_EQ(states[1].xid_errors, 1);
  EXPECT_EQ(states[1].last_xid, 13U);
  EXPECT_EQ(HealthOf(states[1]).verdict, Verdict::kOk) << "an error of the program";
  states = report(2, 63, 1);
  EXPECT_EQ(HealthOf(states[1]).verdict, Verdict::kDegraded);
  states = report(3, 79, 1);
  states = report(3, 79, 1);
  EXPECT_EQ(states[1].xid_errors, 3);
  EXPECT_EQ(HealthOf(states[1]).verdict, Verdict::kFailed);
  EXPECT_THAT(HealthOf(states[1]).reasons,
              ElementsAre(HasSubstr("Xid 63"), "Xid 79: it fell off the bus"));
  EXPECT_EQ(HealthOf(states[0]).verdict, Verdict::kOk);
  // One that is gone after that is the same one.
  Say("count 2\nhandle1 !15\n");
  states = *(*opened)->Read();
  EXPECT_EQ(states[1].uuid, "GPU-1");
  EXPECT_EQ(states[1].xid_errors, 3);
  EXPECT_EQ(states[1].busy, std::nullopt);
}

TEST_F(NvmlTest, WithoutEventsXidsAreUnknown) {
  Say("count 1\nregister !999\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->Read()->front().xid_errors, std::nullopt);
  Say("count 1\nevents !999\n");
  const auto again = Open();
  EXPECT_FALSE(again.ok()) << "it is open already";
}

TEST(PrometheusText, LinesAndWhatIsNone) {
  const TextSamples parsed = ParsePrometheusText(
      "# HELP a b\n\na 1\nb{x=\"1\",y=\"a\\\"b\\\\c\\nd\",} +2.5e3 1700000000\r\n  c{ } 7\n"
      "d NaN\ne{x=\"1} 5\nf{x} 5\ng\n{x=\"1\"} 5\nh +Inf\n");
  ASSERT_EQ(parsed.samples.size(), 3U);
  EXPECT_EQ(parsed.unreadable, 6U);
  EXPECT_EQ(parsed.samples[1].Label("y"), "a\"b\\c\nd");
  EXPECT_EQ(parsed.samples[1].Label("z"), "");
  EXPECT_EQ(parsed.samples[1].value, 2500);
  EXPECT_EQ(parsed.samples[2].name, "c");
}

class DcgmExporterTest : public ::testing::Test {
 protected:
  Result<std::vector<DeviceState>> Read(std::string page) {
    page_ = std::move(page);
    return backend_->Read();
  }
  Result<std::string> page_ = std::string();
  const std::unique_ptr<Backend> backend_ = MakeDcgmExporter([this] { return page_; });
};

TEST_F(DcgmExporterTest, ItsPageInOurUnits) {
  constexpr std::string_view kOf1 =
      "{gpu=\"1\",UUID=\"GPU-b\",device=\"nvidia1\",modelName=\"NVIDIA "
      "A100-SXM4-80GB\",Hostname=\"h\"}";
  const auto states =
      Read(fmt::format("# TYPE DCGM_FI_DEV_SM_CLOCK gauge\nDCGM_FI_DEV_SM_CLOCK{0} "
                       "1410\nDCGM_FI_DEV_POWER_USAGE{0} 312.5\n"
                       "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{0} 7200000\nDCGM_FI_DEV_FB_USED{0} "
                       "3\nDCGM_FI_PROF_PIPE_TENSOR_ACTIVE{0} 0.5\n"
                       "DCGM_FI_PROF_DRAM_UTIL_RATIO{0} 0.25\nDCGM_FI_DEV_GPU_UTIL{0} "
                       "93\nDCGM_FI_PROF_NVLINK_TX_BYTES{0} 1000\n"
                       "DCGM_FI_DEV_GPU_TEMP{0} 2147483632\nDCGM_FI_PROF_SM_ACTIVE{0} "
                       "140737488355328\nDCGM_FI_DEV_MEM_CLOCK{0} 9223372036854775794\n"
                       "DCGM_FI_DEV_GPU_UTIL{{gpu=\"1\",GPU_I_ID=\"3\",UUID=\"GPU-b\"}} "
                       "1\nDCGM_FI_DEV_GPU_UTIL{{gpu=\"0\",UUID=\"GPU-a\"}} 7\n"
                       "DCGM_FI_DEV_GPU_UTIL{{gpu=\"x\"}} 1\nother{{gpu=\"5\"}} 1\n",
                       kOf1));
  ASSERT_TRUE(states.ok()) << states.status().message();
  ASSERT_EQ(states->size(), 2U);
  const DeviceState& state = (*states)[1];
  EXPECT_EQ(state.name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(state.uuid, "GPU-b");
  EXPECT_EQ(state.sm_clock_hz, 1.41e9);
  EXPECT_EQ(state.power_watts, 312.5);
  EXPECT_EQ(state.energy_joules, 7200);
  EXPECT_EQ(state.memory_used_bytes, 3 * 1048576);
  EXPECT_EQ(state.tensor_active, 0.5);
  EXPECT_EQ(state.dram_active, 0.25);
  EXPECT_EQ(state.busy, 0.93) << "not that of its part";
  EXPECT_EQ(state.nvlink_sent_bytes_per_s, 1000);
  EXPECT_EQ(state.temperature_celsius, std::nullopt) << "blank";
  EXPECT_EQ(state.sm_active, std::nullopt) << "blank";
  EXPECT_EQ(state.memory_clock_hz, std::nullopt) << "blank";
  EXPECT_EQ((*states)[0].busy, 0.07);
  EXPECT_EQ(Read("up 1\n").status().code(), StatusCode::kNotFound);
  page_ = Error(StatusCode::kIo, "away");
  EXPECT_EQ(backend_->Read().status().message(), "away");
}

TEST_F(DcgmExporterTest, XidsThatCome) {
  const auto with = [&](int number) {
    return Read(fmt::format("DCGM_FI_DEV_XID_ERRORS{{gpu=\"0\"}} {}\n", number))->front();
  };
  EXPECT_EQ(with(31).xid_errors, 0) << "that of before is of before";
  EXPECT_EQ(with(31).xid_errors, 0);
  EXPECT_EQ(with(79).xid_errors, 1);
  EXPECT_EQ(HealthOf(with(79)).verdict, Verdict::kFailed);
  EXPECT_EQ(with(0).xid_errors, 1);
}

TEST(Merged, WhatOneKnowsAndTheOtherDoesNot) {
  DeviceState driver;
  driver.uuid = "GPU-a";
  driver.busy = 0.5;
  DeviceState lost;
  lost.uuid = "GPU-b";
  lost.problem = "lost";
  DeviceState page;
  page.uuid = "GPU-a";
  page.busy = 0.75;
  page.tensor_active = 0.25;
  DeviceState other = page;
  other.uuid = "GPU-b";
  const auto merged = Merged({driver, lost, {}}, {other, page, {}});
  EXPECT_EQ(merged[0].busy, 0.5);
  EXPECT_EQ(merged[0].tensor_active, 0.25);
  EXPECT_EQ(merged[1].tensor_active, std::nullopt);
  EXPECT_EQ(merged[2].tensor_active, std::nullopt) << "without an id nobody is known";
}

TEST(Joining, TheSecondsDevicesKeepTheirNumbers) {
  Joining joining;
  const auto join = [&](const std::vector<int>& first, const std::vector<int>& second) {
    std::vector<DeviceState> of_first, of_second;
    for (const int index : first) of_first.push_back({.index = index, .uuid = "GPU"});
    for (const int index : second)
      of_second.push_back({.index = index, .name = std::to_string(index)});
    std::string text;
    for (const DeviceState& state : joining.Join(of_first, of_second))
      text += std::to_string(state.index) + state.uuid + state.name + " ";
    return text;
  };
  EXPECT_EQ(join({0, 1}, {0, 1}), "0GPU 1GPU 20 31 ");
  EXPECT_EQ(join({0}, {1}), "0GPU 31 ");
  EXPECT_EQ(join({}, {1, 2}), "31 42 ");
  EXPECT_EQ(join({0, 1, 2}, {0, 1}), "0GPU 1GPU 2GPU 50 31 ");
}

TEST(EstimateFlops, PipesTimesPeaksAtTheClock) {
  DeviceState state;
  state.name = "NVIDIA A100-SXM4-80GB";
  EXPECT_FALSE(EstimateFlops(state)) << "its pipes are not counted";
  state.tensor_active = 0.5;
  EXPECT_DOUBLE_EQ(EstimateFlops(state)->flops_per_s, 0.5 * 312e12);
  EXPECT_DOUBLE_EQ(EstimateFlops(state)->ratio, 0.5);
  state.fp32_active = 0.1;
  state.fp64_active = 0.2;
  EXPECT_DOUBLE_EQ(EstimateFlops(state)->flops_per_s, 0.5 * 312e12 + 0.3 * 19.5e12);
  state.sm_clock_hz = 705e6;
  EXPECT_DOUBLE_EQ(EstimateFlops(state)->flops_per_s, 0.5 * (0.5 * 312e12 + 0.3 * 19.5e12));
  state.name = "NVIDIA L40S";
  EXPECT_DOUBLE_EQ(EstimateFlops(state)->ratio, (0.5 * 362e12 + 0.1 * 91.6e12) / 362e12)
      << "the clock that its peaks hold at is not stated";
  state.name = "AMD Instinct of tomorrow";
  EXPECT_FALSE(EstimateFlops(state));
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

TEST(Health, ASpecificationsLimitsAreItsOwn) {
  DeviceState state;
  state.temperature_celsius = 97;
  state.uncorrected_errors = 1;
  state.slowed_by = {"hardware_thermal"};
  EXPECT_EQ(HealthOf(state).reasons.size(), 3U);
  state.gives_health = true;
  state.said_health = Verdict::kOk;
  EXPECT_EQ(HealthOf(state).verdict, Verdict::kOk);
  state.said_health = Verdict::kDegraded;
  state.said_reason = "hot";
  EXPECT_EQ(HealthOf(state).reasons, std::vector<std::string>{"hot"});
  state.problem = "lost";
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
