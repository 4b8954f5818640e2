// DCGM by a library that is none, with a host engine that comes and goes (fake/dcgm.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "device/device.h"

namespace rankscope::device {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DcgmTest : public ::testing::Test {
 protected:
  DcgmTest() : file_(testing::TempDir() + "/fake_dcgm" + std::to_string(getpid())) {
    setenv("FAKE_DCGM", file_.c_str(), 1);
    Forget();
  }
  ~DcgmTest() override { Forget(); }

  void Forget() const {
    std::filesystem::remove(file_);
    std::filesystem::remove(file_ + ".calls");
  }
  void Say(std::string_view text) const {
    std::ofstream(file_ + ".new") << text;
    std::filesystem::rename(file_ + ".new", file_);
  }
  // What it was asked to do since the last time, but for connections.
  std::vector<std::string> Calls() const {
    std::ifstream file(file_ + ".calls");
    std::vector<std::string> calls;
    for (std::string line; std::getline(file, line);) calls.push_back(line);
    std::filesystem::remove(file_ + ".calls");
    return calls;
  }
  static Result<std::unique_ptr<Backend>> Open(std::string host = "127.0.0.1:5555") {
    return OpenDcgm({.library = FAKE_DCGM_LIBRARY, .host = std::move(host)});
  }

  const std::string file_;
};

TEST_F(DcgmTest, ItsFieldsInOurUnits) {
  Say("count 2\nf50 H100\nf100 1755\nf101 2619\nf113 1980\nf112 68\nf150 61\nf155 312.5\nf156 "
      "7200000\nf164 700\nf203 37\nf203.1 50\nf204 12\nf250 80000\nf252 3\nf310 2\nf311 0\nf1002 "
      "0.75\nf1003 0.5\nf1004 0.25\nf1005 0.125\nf1006 0\nf1007 0.1\nf1008 0.2\nf1009 1000\nf1010 "
      "2000\nf1011 3000\nf1012 4000\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const auto states = (*opened)->Read();
  ASSERT_TRUE(states.ok()) << states.status().message();
  ASSERT_EQ(states->size(), 2U);
  const DeviceState& state = states->front();
  EXPECT_EQ(state.name, "H100");
  EXPECT_EQ(state.uuid, "GPU-0");
  EXPECT_EQ(state.sm_clock_hz, 1.755e9);
  EXPECT_EQ(state.memory_clock_hz, 2.619e9);
  EXPECT_EQ(state.sm_clock_max_hz, 1.98e9);
  EXPECT_THAT(*state.slowed_by, ElementsAre("software_power_cap", "hardware_thermal"));
  EXPECT_EQ(state.temperature_celsius, 61);
  EXPECT_EQ(state.power_watts, 312.5);
  EXPECT_EQ(state.energy_joules, 7200);
  EXPECT_EQ(state.power_limit_watts, 700);
  EXPECT_EQ(state.busy, 0.37);
  EXPECT_EQ(state.memory_busy, 0.12);
  EXPECT_EQ(state.memory_total_bytes, 80000.0 * 1048576);
  EXPECT_EQ(state.memory_used_bytes, 3.0 * 1048576);
  EXPECT_EQ(state.corrected_errors, 2);
  EXPECT_EQ(state.uncorrected_errors, 0);
  EXPECT_EQ(state.sm_active, 0.75);
  EXPECT_EQ(state.sm_occupancy, 0.5);
  EXPECT_EQ(state.tensor_active, 0.25);
  EXPECT_EQ(state.dram_active, 0.125);
  EXPECT_EQ(state.fp64_active, 0) << "that it did nothing is known";
  EXPECT_EQ(state.fp32_active, 0.1);
  EXPECT_EQ(state.fp16_active, 0.2);
  EXPECT_EQ(state.pcie_sent_bytes_per_s, 1000);
  EXPECT_EQ(state.pcie_received_bytes_per_s, 2000);
  EXPECT_EQ(state.nvlink_sent_bytes_per_s, 3000);
  EXPECT_EQ(state.nvlink_received_bytes_per_s, 4000);
  EXPECT_EQ((*states)[1].uuid, "GPU-1");
  EXPECT_EQ((*states)[1].index, 1);
  EXPECT_EQ((*states)[1].busy, 0.5);
}

TEST_F(DcgmTest, WhatItDoesNotSayIsUnknown) {
  Say("f50 blank\nf54 blank\nf203 blank\nf204 2147483632\nf155 blank\nf164 !-6\nf112 blank\nf150 "
      "-5\nf1004 blank\nf1005 nan\nf230 blank\nf252 0\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok());
  const DeviceState state = (*opened)->Read()->front();
  EXPECT_EQ(state.name, "");
  EXPECT_EQ(state.uuid, "");
  EXPECT_EQ(state.busy, std::nullopt);
  EXPECT_EQ(state.memory_busy, std::nullopt);
  EXPECT_EQ(state.power_watts, std::nullopt);
  EXPECT_EQ(state.power_limit_watts, std::nullopt);
  EXPECT_EQ(state.slowed_by, std::nullopt);
  EXPECT_EQ(state.temperature_celsius, std::nullopt);
  EXPECT_EQ(state.tensor_active, std::nullopt);
  EXPECT_EQ(state.dram_active, std::nullopt);
  EXPECT_EQ(state.xid_errors, std::nullopt);
  EXPECT_EQ(state.energy_joules, std::nullopt) << "not said at all";
  EXPECT_EQ(state.memory_used_bytes, 0);
  EXPECT_EQ(HealthOf(state).verdict, Verdict::kOk);
}

TEST_F(DcgmTest, AFieldThatIsRefusedCostsItselfAlone) {
  Say("f203 37\nf310 1\nf1004 0.25\nf1006 0.5\nwatch1006 !-36\nwatch310 !-13\n");
  const auto opened = Open();
  const DeviceState state = (*opened)->Read()->front();
  EXPECT_EQ(state.busy, 0.37);
  EXPECT_EQ(state.tensor_active, 0.25);
  EXPECT_EQ(state.fp64_active, std::nullopt);
  EXPECT_EQ(state.corrected_errors, std::nullopt);
}

TEST_F(DcgmTest, TheHostEngineGoesAndComesBack) {
  Say("engine 0\n");
  const auto opened = Open();
  ASSERT_TRUE(opened.ok()) << "it may come later";
  EXPECT_THAT((*opened)->Read().status().message(),
              HasSubstr("the host engine at 127.0.0.1:5555 does not answer (error -21)"));
  EXPECT_THAT(Calls(), ElementsAre());
  Say("engine 1\nf203 37\n");
  EXPECT_EQ((*opened)->Read()->front().busy, 0.37);
  EXPECT_EQ((*opened)->Read()->front().busy, 0.37);
  EXPECT_THAT(Calls(), ElementsAre("connect 127.0.0.1:5555"));
  // Another one, with which nothing is watched and no group is known.
  Say("engine 2\nf203 38\n");
  EXPECT_EQ((*opened)->Read().status().code(), StatusCode::kNotFound);
  EXPECT_EQ((*opened)->Read()->front().busy, 0.38);
  EXPECT_THAT(Calls(), ElementsAre("disconnect", "connect 127.0.0.1:5555"));
  // A call that does not come back in time, and one that fails.
  Say("engine 2\nf203 38\nvalues !-11\n");
  EXPECT_THAT((*opened)->Read().status().message(), HasSubstr("is gone (error -11)"));
  Say("engine 2\nf203 38\nsupported !-3\n");
  EXPECT_THAT((*opened)->Read().status().message(), HasSubstr("does not tell its devices"));
  Say("engine 2\nf203 39\n");
  EXPECT_EQ((*opened)->Read()->front().busy, 0.39);
}

TEST_F(DcgmTest, DevicesComeAndGoAndAreLost) {
  Say("count 1\nf203 37\n");
  const auto opened = Open();
  EXPECT_EQ((*opened)->Read()->size(), 1U);
  Say("count 2\nf203 38\n");
  auto states = *(*opened)->Read();
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[1].busy, 0.38) << "it is watched since it came";
  (void)Calls();
  Say("count 1\nf203 39\n");
  EXPECT_EQ((*opened)->Read()->size(), 1U);
  EXPECT_THAT(Calls(), ElementsAre("destroy"));
  Say("count 2\nf203.0 40\nf203.1 !-18\n");
  states = *(*opened)->Read();
  EXPECT_EQ(HealthOf(states[0]).verdict, Verdict::kOk);
  EXPECT_EQ(HealthOf(states[1]).verdict, Verdict::kFailed);
  Say("count 0\n");
  EXPECT_THAT((*opened)->Read().status().message(), HasSubstr("has no device"));
}

TEST_F(DcgmTest, CountersArePausedInTheHostEngine) {
  Say("f203 37\nf1004 0.25\n");
  {
    const auto opened = Open();
    Backend& dcgm = **opened;
    EXPECT_EQ(dcgm.Read()->front().tensor_active, 0.25);
    dcgm.SetCounting(Counting::kOn);
    dcgm.SetCounting(Counting::kPaused);
    dcgm.SetCounting(Counting::kOn);
    (void)Calls();
    EXPECT_EQ(dcgm.Read()->front().tensor_active, 0.25);
    EXPECT_THAT(Calls(), ElementsAre()) << "a pause of somebody else would be left alone";
    dcgm.SetCounting(Counting::kPaused);
    EXPECT_EQ(dcgm.Read()->front().tensor_active, std::nullopt);
    EXPECT_EQ(dcgm.Read()->front().busy, 0.37);
    EXPECT_THAT(Calls(), ElementsAre("pause")) << "once";
    dcgm.SetCounting(Counting::kOn);
    EXPECT_EQ(dcgm.Read()->front().tensor_active, 0.25);
    EXPECT_THAT(Calls(), ElementsAre("resume"));
    // The connection goes meanwhile: the new one is told, too.
    dcgm.SetCounting(Counting::kPaused);
    EXPECT_TRUE(dcgm.Read().ok());
    Say("engine 2\nf203 37\nf1004 0.25\n");
    EXPECT_FALSE(dcgm.Read().ok());
    EXPECT_TRUE(dcgm.Read().ok());
    EXPECT_THAT(Calls(), ElementsAre("pause", "disconnect", "connect 127.0.0.1:5555", "pause"));
    Say("engine 3\nf203 37\nf1004 0.25\n");
    EXPECT_FALSE(dcgm.Read().ok());
    dcgm.SetCounting(Counting::kOn);
    EXPECT_EQ(dcgm.Read()->front().tensor_active, 0.25);
    EXPECT_THAT(Calls(), ElementsAre("disconnect", "connect 127.0.0.1:5555", "resume"));
    dcgm.SetCounting(Counting::kPaused);
    EXPECT_TRUE(dcgm.Read().ok());
    (void)Calls();
  }
  EXPECT_THAT(Calls(), ElementsAre("resume", "disconnect", "shutdown")) << "nothing stays paused";
}

TEST_F(DcgmTest, APauseThatIsRefusedIsSaid) {
  Say("f203 37\npause !-17\n");
  const auto opened = Open();
  (*opened)->SetCounting(Counting::kPaused);
  EXPECT_THAT((*opened)->Read().status().message(),
              HasSubstr("does not pause its counters (error -17)"));
  // One that counts nothing has nothing to pause.
  Say("f203 37\npause !-33\n");
  EXPECT_EQ((*opened)->Read()->front().busy, 0.37);
}

TEST_F(DcgmTest, XidsThatCome) {
  const auto opened = Open();
  const auto with = [&](std::string_view number) {
    Say(fmt::format("f230 {}\n", number));
    return (*opened)->Read()->front();
  };
  EXPECT_EQ(with("!-14").xid_errors, std::nullopt);
  EXPECT_EQ(with("31").xid_errors, 0) << "that of before is of before";
  const DeviceState failed = with("79");
  EXPECT_EQ(failed.xid_errors, 1);
  EXPECT_EQ(failed.last_xid, 79U);
  EXPECT_EQ(HealthOf(failed).verdict, Verdict::kFailed);
}

TEST_F(DcgmTest, LibrariesThatAreNone) {
  EXPECT_THAT(OpenDcgm({.library = "/no/such/libdcgm.so.4", .host = "h"}).status().message(),
              HasSubstr("/no/such/libdcgm.so.4: cannot open"));
  EXPECT_THAT(OpenDcgm({.library = "libz.so.1", .host = "h"}).status().message(),
              HasSubstr("is not DCGM's library"));
  Say("init !-7\n");
  EXPECT_THAT(Open().status().message(), HasSubstr("does not begin (error -7)"));
  // That of the version before, where there is no other.
  Say("");
  const std::string folder = testing::TempDir() + "/dcgm3" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(FAKE_DCGM_LIBRARY, folder + "/libdcgm.so.3");
  EXPECT_TRUE(OpenDcgm({.library = folder + "/libdcgm.so.4", .host = "h"}).ok());
  std::filesystem::remove_all(folder);
}

TEST_F(DcgmTest, AddressesOfSockets) {
  Say("");
  EXPECT_TRUE((*Open("unix:///run/nv-hostengine"))->Read().ok());
  EXPECT_EQ(Calls().front(), "connect /run/nv-hostengine unix");
}

}  // namespace
}  // namespace rankscope::device
