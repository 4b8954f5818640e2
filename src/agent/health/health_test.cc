#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "agent/health/host_health.h"
#include "base/file.h"

namespace rankscope::agent {
namespace {

using device::DeviceState;
using device::Verdict;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DeviceState Device(int index, double celsius = 40) {
  DeviceState state{.index = index, .uuid = "GPU-" + std::to_string(index)};
  state.temperature_celsius = celsius;
  state.busy = 0.5;
  state.memory_used_bytes = 10.0 * (index + 1);
  state.memory_total_bytes = 40;
  return state;
}
DeviceState Lost(int index) {
  DeviceState state = Device(index);
  state.problem = "the driver lost it";
  return state;
}

std::vector<std::string> Reasons(const std::vector<TroubledDevice>& troubled) {
  std::vector<std::string> reasons;
  for (const TroubledDevice& one : troubled) reasons.push_back(ReasonOf(one));
  return reasons;
}

TEST(DeviceWatch, SinceWhenDevicesAreTroubled) {
  DeviceWatch watch;
  watch.See({Device(0), Device(1)}, 1000);
  EXPECT_THAT(watch.Troubled(), IsEmpty());
  watch.See({Device(0), Device(1, 95)}, 2000);
  watch.See({Device(0), Device(1, 95)}, 3000);
  ASSERT_EQ(watch.Troubled().size(), 1U);
  EXPECT_EQ(watch.Troubled()[0].verdict, Verdict::kDegraded);
  EXPECT_EQ(watch.Troubled()[0].since_ms, 2000);
  watch.See({Device(0), Lost(1)}, 4000);
  EXPECT_EQ(watch.Troubled()[0].verdict, Verdict::kFailed);
  EXPECT_EQ(watch.Troubled()[0].since_ms, 4000);
  watch.See({Device(0), Device(1)}, 5000);
  EXPECT_THAT(watch.Troubled(), IsEmpty());
  watch.See({Device(0), Lost(1)}, 6000);
  EXPECT_EQ(watch.Troubled()[0].since_ms, 6000);
}

TEST(DeviceWatch, OneThatHasFailedHasSinceThenWhateverTheReason) {
  DeviceWatch watch;
  DeviceState device = Device(0);
  device.said_health = Verdict::kFailed;
  watch.See({device}, 1000);
  device.said_reason = "it was failed, and since then its health is unknown";
  watch.See({device}, 2000);
  watch.See({}, 3000);
  watch.See({device}, 4000);
  ASSERT_EQ(watch.Troubled().size(), 1U);
  EXPECT_EQ(watch.Troubled()[0].since_ms, 1000);
  EXPECT_THAT(watch.Troubled()[0].reason, testing::HasSubstr("is unknown"));
}

TEST(DeviceWatch, OneThatIsToldOfNoMoreHasFailed) {
  DeviceWatch watch;
  watch.See({}, 0);
  EXPECT_THAT(watch.Troubled(), IsEmpty());
  watch.See({Device(0), Device(1)}, 1000);
  watch.See({Device(0)}, 2000);
  EXPECT_THAT(Reasons(watch.Troubled()),
              ElementsAre("device 1 (GPU-1) failed: its driver tells of it no more"));
  // Another one has its number.
  DeviceState other = Device(1);
  other.uuid = "GPU-9";
  watch.See({Device(0), other}, 3000);
  EXPECT_THAT(watch.Troubled(), IsEmpty());
}

DeviceState Chip(int index, const std::string& place, const std::string& uuid) {
  return {.index = index, .id = "Chip/" + place, .file = "chip.probe", .uuid = uuid};
}

TEST(DeviceWatch, TheRightOneIsNamed) {
  DeviceWatch watch;
  const DeviceState npu{.index = 2, .id = "Npu/npu0", .file = "npu.probe"};
  watch.See({Chip(0, "accel0", "SN-00"), Chip(1, "accel1", "SN-01"), npu}, 1000);
  watch.See({Chip(1, "accel1", "SN-01"), npu}, 2000);
  EXPECT_THAT(Reasons(watch.Troubled()),
              ElementsAre("device 0 (SN-00) failed: its driver tells of it no more"));
  // Its driver counts the others anew.
  watch.See({Chip(0, "accel0", "SN-01"), npu}, 3000);
  ASSERT_EQ(watch.Troubled().size(), 1U);
  EXPECT_EQ(watch.Troubled()[0].uuid, "SN-00");
  EXPECT_EQ(watch.Troubled()[0].since_ms, 2000);
  watch.See({Chip(0, "accel0", "SN-00"), Chip(1, "accel1", "SN-01"), npu}, 4000);
  EXPECT_THAT(watch.Troubled(), IsEmpty());
}

TEST(DeviceWatch, AUuidThatIsUnknownForNowIsNoOtherDevice) {
  DeviceWatch watch;
  watch.See({Chip(0, "accel0", ""), Chip(1, "accel1", "SN-01")}, 1000);
  watch.See({Chip(0, "accel0", "SN-00"), Chip(1, "accel1", "")}, 2000);
  EXPECT_THAT(watch.Troubled(), IsEmpty());
  watch.See({Chip(0, "accel0", "SN-00")}, 3000);
  EXPECT_THAT(Reasons(watch.Troubled()), ElementsAre(HasSubstr("device 1 (SN-01) failed")));
}

TEST(DeviceWatch, DevicesOfASpecificationThatWasReadAnewAreForgotten) {
  DeviceWatch watch;
  watch.See({Chip(0, "accel0", "SN-00"), Chip(1, "accel1", "SN-01")}, 1000, {{"chip.probe", 0}});
  watch.See({Chip(0, "accel0", "SN-00")}, 2000, {{"chip.probe", 1}});
  EXPECT_THAT(watch.Troubled(), IsEmpty());
  watch.See({}, 3000, {{"chip.probe", 1}});
  EXPECT_THAT(Reasons(watch.Troubled()), ElementsAre(HasSubstr("device 0 (SN-00) failed")));
  watch.See({}, 4000, {{"chip.probe", 2}});
  EXPECT_THAT(watch.Troubled(), IsEmpty());
}

class Drained : public ::testing::Test {
 protected:
  Drained() { std::filesystem::create_directories(folder_); }
  ~Drained() override { std::filesystem::remove_all(folder_); }

  DrainHook Hook(const std::string& script, std::int64_t limit_s = 60) {
    return DrainHook({.command = {"/bin/sh", "-c", script}, .after_s = 60, .limit_s = limit_s},
                     "node7", [this](std::string_view line) { log_ += std::string(line) + "\n"; });
  }
  std::vector<TroubledDevice> Failed(std::int64_t since_ms) const {
    return {{.index = 3, .uuid = "GPU-3", .reason = "Xid 79", .since_ms = since_ms}};
  }
  static Now At(std::int64_t seconds) {
    return {.steady_ms = 1000 * seconds, .unix_us = 1'000'000 * (1'000'000 + seconds)};
  }
  // Until the command has ended, at one moment of the hook's clock.
  static void LookUntilEnded(DrainHook& hook, const std::vector<TroubledDevice>& troubled,
                             std::int64_t seconds) {
    while (hook.State().drain == Drain::kRunning) {
      hook.Look(troubled, At(seconds));
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  const std::string folder_ =
      (std::filesystem::temp_directory_path() / ("drain_test_" + std::to_string(getpid())))
          .string();
  std::string log_;
};

TEST_F(Drained, OnceAndAgainOnlyAfterAllWereWell) {
  const std::string file = folder_ + "/said";
  DrainHook hook = Hook(
      "echo \"$RANKSCOPE_HOST $RANKSCOPE_DEVICE $RANKSCOPE_DEVICE_UUID $RANKSCOPE_VERDICT "
      "$RANKSCOPE_REASON\" >> " +
      file);
  hook.Look({}, At(0));
  EXPECT_EQ(hook.State().drain, Drain::kReady);
  hook.Look(Failed(1000), At(10));
  EXPECT_EQ(hook.State().drain, Drain::kWaiting);
  EXPECT_EQ(hook.State().reason, "device 3 (GPU-3) failed: Xid 79");
  hook.Look(Failed(1000), At(60));
  EXPECT_EQ(hook.State().drain, Drain::kWaiting) << "it has been so for 59 s";
  hook.Look(Failed(1000), At(61));
  EXPECT_EQ(hook.State().drain, Drain::kRunning);
  LookUntilEnded(hook, Failed(1000), 62);
  EXPECT_EQ(hook.State().drain, Drain::kDrained);
  EXPECT_EQ(hook.State().since_unix_ms, At(62).unix_ms());
  hook.Look(Failed(1000), At(1000));
  EXPECT_EQ(ReadFile(file).value(), "node7 3 GPU-3 failed device 3 (GPU-3) failed: Xid 79\n");
  // Well for a moment alone.
  hook.Look({}, At(1001));
  hook.Look(Failed(1'002'000), At(1002));
  hook.Look({}, At(1003));
  hook.Look({}, At(1062));
  EXPECT_EQ(hook.State().drain, Drain::kDrained);
  hook.Look({}, At(1063));
  EXPECT_EQ(hook.State().drain, Drain::kReady);
  EXPECT_THAT(log_, HasSubstr("all devices are well again"));
  hook.Look(Failed(1'064'000), At(1124));
  EXPECT_EQ(hook.State().drain, Drain::kRunning);
}

TEST_F(Drained, WhatFailsIsTriedThreeTimes) {
  DrainHook hook = Hook("exit 3");
  hook.Look(Failed(0), At(60));
  LookUntilEnded(hook, Failed(0), 60);
  EXPECT_EQ(hook.State().drain, Drain::kRefused);
  EXPECT_THAT(log_, HasSubstr("/bin/sh ended with 3; again in 300 s"));
  hook.Look(Failed(0), At(359));
  EXPECT_EQ(hook.State().drain, Drain::kRefused);
  for (const std::int64_t seconds : {360, 660}) {
    hook.Look(Failed(0), At(seconds));
    EXPECT_EQ(hook.State().drain, Drain::kRunning);
    LookUntilEnded(hook, Failed(0), seconds);
  }
  EXPECT_THAT(log_, HasSubstr("ended with 3; not again: 3 tries"));
  hook.Look(Failed(0), At(10'000));
  EXPECT_EQ(hook.State().drain, Drain::kRefused);
}

TEST_F(Drained, ACommandThatHangsIsEnded) {
  DrainHook hook = Hook("sleep 1000", 5);
  hook.Look(Failed(0), At(60));
  hook.Look(Failed(0), At(64));
  EXPECT_EQ(hook.State().drain, Drain::kRunning);
  hook.Look(Failed(0), At(65));
  EXPECT_EQ(hook.State().drain, Drain::kRefused);
  EXPECT_THAT(log_, HasSubstr("took longer than 5 s and was ended"));
}

TEST_F(Drained, AProgramThatIsNotThereIsSaid) {
  DrainHook hook({.command = {"/no/such/program"}, .after_s = 0}, "node7",
                 [this](std::string_view line) { log_ += line; });
  hook.Look(Failed(0), At(1));
  EXPECT_EQ(hook.State().drain, Drain::kRefused);
  EXPECT_THAT(log_, HasSubstr("/no/such/program"));
}

TEST_F(Drained, DegradedDevicesOnlyWhenAsked) {
  std::vector<TroubledDevice> degraded = Failed(0);
  degraded[0].verdict = Verdict::kDegraded;
  DrainHook hook = Hook("true");
  hook.Look(degraded, At(1000));
  EXPECT_EQ(hook.State().drain, Drain::kReady);
  DrainHook asked({.command = {"/bin/true"}, .when_degraded = true}, "node7",
                  [](std::string_view) {});
  asked.Look(degraded, At(1000));
  EXPECT_EQ(asked.State().drain, Drain::kRunning);
  DrainHook off({}, "node7", [](std::string_view) {});
  off.Look(Failed(0), At(1000));
  EXPECT_EQ(off.State().drain, Drain::kOff);
}

TEST(HostHealth, SaysWhetherAHostCanTakeWork) {
  HostHealth health({}, "node7", milliseconds(5000), [](std::string_view) {});
  const auto at = [](std::int64_t seconds) {
    return Now{.steady_ms = 1000 * seconds, .unix_us = 1'000'000 * seconds};
  };
  const auto load = [&](std::vector<DeviceState> states, std::int64_t read, std::int64_t now) {
    const DevicesThen last{.unix_us = 1'000'000 * read, .states = std::move(states)};
    health.Look(last, at(now));
    return health.Load(last, at(now));
  };
  // No device was ever told.
  api::HostLoad said = load({}, 0, 1);
  EXPECT_EQ(said.status, "unknown");
  EXPECT_TRUE(said.accepts_work);
  EXPECT_FALSE(said.read_ms_ago);
  said = load({Device(0), Device(1)}, 10, 12);
  EXPECT_EQ(said.status, "ok");
  EXPECT_EQ(said.drain, "off");
  EXPECT_EQ(said.busy, 0.5);
  EXPECT_EQ(said.memory_used, 0.5) << "20 of 40 bytes of the second";
  EXPECT_EQ(said.read_ms_ago, 2000);
  said = load({Device(0), Device(1, 95)}, 20, 20);
  EXPECT_EQ(said.status, "degraded");
  EXPECT_TRUE(said.accepts_work);
  said = load({Device(0), Lost(1)}, 30, 30);
  EXPECT_EQ(said.status, "failed");
  EXPECT_FALSE(said.accepts_work);
  EXPECT_THAT(said.reasons, ElementsAre(HasSubstr("device 1 (GPU-1) failed: ")));
  // The driver hangs.
  said = load({Device(0), Device(1)}, 40, 101);
  EXPECT_EQ(said.status, "unknown");
  EXPECT_FALSE(said.accepts_work);
  EXPECT_THAT(said.reasons, ElementsAre("the drivers of the devices have told nothing for 61 s"));
  // It is gone.
  said = load({}, 0, 120);
  EXPECT_EQ(said.status, "failed");
  EXPECT_FALSE(said.accepts_work);
}

}  // namespace
}  // namespace rankscope::agent
