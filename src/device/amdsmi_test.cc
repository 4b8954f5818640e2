// AMD SMI by a library that is none (fake/amdsmi.cc), beside a tree of amdgpu's files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/device.h"

namespace rankscope::device {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AmdSmiTest : public ::testing::Test {
 protected:
  AmdSmiTest() : file_(testing::TempDir() + "/fake_amdsmi" + std::to_string(getpid())) {
    setenv("FAKE_AMDSMI", file_.c_str(), 1);
    fs::remove(file_);
  }
  ~AmdSmiTest() override {
    fs::remove(file_);
    fs::remove_all(file_ + ".root");
  }

  void Say(std::string_view text) const {
    std::ofstream(file_ + ".new") << text;
    fs::rename(file_ + ".new", file_);
  }
  static Result<std::unique_ptr<Backend>> Open() { return OpenAmdSmi(FAKE_AMDSMI_LIBRARY); }

  const std::string file_;
};

TEST_F(AmdSmiTest, WhatItSaysInOurUnits) {
  Say("sockets 2\nbusy 73\nbusy.1 5\nmemory_busy 12\nmemory_total 192000\nmemory_used "
      "4096\npower 512\ncap_uw 750000000\nenergy 2000000\ngfx_mhz 2100\ngfx_max_mhz "
      "2200\nmem_mhz 1300\nhotspot 64\nedge 50\ncorrected 4\nuncorrected 1\nviolations 1\nppt "
      "1\nhbm_thermal 1\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const auto states = (*opened)->Read();
  ASSERT_TRUE(states.ok()) << states.status().message();
  ASSERT_EQ(states->size(), 2U) << "processors that are no devices are left out";
  const DeviceState& state = states->front();
  EXPECT_EQ(state.name, "AMD Instinct MI300X");
  EXPECT_EQ(state.uuid, "amd-0");
  EXPECT_EQ(state.pci_address, "0000:c1:00.0");
  EXPECT_EQ(state.busy, 0.73);
  EXPECT_EQ(state.memory_busy, 0.12);
  EXPECT_EQ(state.memory_total_bytes, 192000);
  EXPECT_EQ(state.memory_used_bytes, 4096);
  EXPECT_EQ(state.power_watts, 512);
  EXPECT_EQ(state.power_limit_watts, 750);
  EXPECT_DOUBLE_EQ(*state.energy_joules, 31);
  EXPECT_EQ(state.sm_clock_hz, 2.1e9);
  EXPECT_EQ(state.sm_clock_max_hz, 2.2e9);
  EXPECT_EQ(state.memory_clock_hz, 1.3e9);
  EXPECT_EQ(state.temperature_celsius, 64);
  EXPECT_EQ(state.corrected_errors, 4);
  EXPECT_EQ(state.uncorrected_errors, 1);
  EXPECT_THAT(*state.slowed_by, ElementsAre("software_power_cap", "hardware_thermal"));
  EXPECT_EQ((*states)[1].busy, 0.05);
  EXPECT_EQ((*states)[1].index, 1);
}

TEST_F(AmdSmiTest, OfRocm6WhereItsStructsDiffer) {
  Say("version 24\nbusy 1\npower_average 300\nedge 50\nviolations 1\nppt 1\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const DeviceState state = (*opened)->Read()->front();
  EXPECT_EQ(state.power_watts, 300) << "the mean, of devices that do not tell that of now";
  EXPECT_EQ(state.temperature_celsius, 50);
  EXPECT_EQ(state.slowed_by, std::nullopt) << "not known of this version";
}

TEST_F(AmdSmiTest, WhatItDoesNotSayIsUnknown) {
  Say("busy 65535\nmemory_busy 4294967295\nmemory_total 0\nmemory_used !40\ncap_uw 0\nenergy "
      "18446744073709551615\ngfx_mhz 65535\nmem_mhz 4294967295\nhotspot 64000\nedge "
      "!2\nviolations 1\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok());
  const DeviceState state = (*opened)->Read()->front();
  for (const Known& value :
       {state.busy, state.memory_busy, state.memory_total_bytes, state.memory_used_bytes,
        state.power_watts, state.power_limit_watts, state.energy_joules, state.sm_clock_hz,
        state.sm_clock_max_hz, state.memory_clock_hz, state.temperature_celsius,
        state.corrected_errors, state.uncorrected_errors})
    EXPECT_EQ(value, std::nullopt);
  EXPECT_EQ(state.slowed_by, std::nullopt);
  EXPECT_EQ(HealthOf(state).verdict, Verdict::kOk);
}

TEST_F(AmdSmiTest, PartsOfADeviceHaveNoAddress) {
  Say("sockets 3\nbusy 5\nbus.1 193\npart.1 1\n");
  const auto opened = Open();
  const auto states = *(*opened)->Read();
  EXPECT_EQ(states[0].pci_address, "") << "nor has the first of them";
  EXPECT_EQ(states[1].pci_address, "");
  EXPECT_EQ(states[2].pci_address, "0000:c3:00.0");
}

TEST_F(AmdSmiTest, DevicesThatGoAndLibrariesThatAreNone) {
  Say("sockets 2\nbusy 5\n");
  const auto opened = Open();
  EXPECT_EQ((*opened)->Read()->size(), 2U);
  Say("sockets 2\nbusy 5\nbusy.1 !31\n");
  EXPECT_THAT((*opened)->Read().status().message(),
              HasSubstr("the device 1 (amd-1) tells nothing any more"));
  Say("sockets 0\n");
  EXPECT_EQ((*opened)->Read().status().code(), StatusCode::kNotFound);
  Say("version 25\n");
  EXPECT_THAT(Open().status().message(), HasSubstr("version 25 is not known"));
  Say("init !34\n");
  EXPECT_THAT(Open().status().message(), HasSubstr("does not begin (error 34)"));
  EXPECT_THAT(OpenAmdSmi("libz.so.1").status().message(), HasSubstr("is not AMD SMI's library"));
  EXPECT_FALSE(OpenAmdSmi("/no/such/library.so").ok());
}

TEST_F(AmdSmiTest, TheFilesOfAmdgpuFillTheGaps) {
  const std::string root = file_ + ".root";
  const std::string device = root + "/sys/devices/0000:c1:00.0";
  fs::create_directories(device);
  fs::create_directories(root + "/sys/class/drm/card1");
  fs::create_directory_symlink("../../../devices/0000:c1:00.0",
                               root + "/sys/class/drm/card1/device");
  const auto write = [&](const std::string& name, std::string_view text) {
    std::ofstream(device + "/" + name) << text;
  };
  write("vendor", "0x1002\n");
  write("unique_id", "a1b2\n");
  write("gpu_busy_percent", "9\n");
  write("mem_info_vram_used", "4096\n");
  Say("sockets 2\nbusy 5\n");
  auto amdsmi = Open();
  auto amdgpu = OpenAmdgpu(root);
  ASSERT_TRUE(amdsmi.ok() && amdgpu.ok());
  const auto filled = MakeFilled(std::move(*amdsmi), std::move(*amdgpu));
  auto states = *filled->Read();
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].busy, 0.05) << "the library goes before";
  EXPECT_EQ(states[0].memory_used_bytes, 4096);
  EXPECT_EQ(states[1].memory_used_bytes, std::nullopt) << "the files are of another one";
  fs::remove_all(root);
  states = *filled->Read();
  EXPECT_EQ(states[0].busy, 0.05);
  EXPECT_EQ(states[0].memory_used_bytes, std::nullopt);
}

}  // namespace
}  // namespace rankscope::device
