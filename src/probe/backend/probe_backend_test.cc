#include "probe/backend/probe_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/units_for_test.h"

namespace rankscope::probe {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kSpec =
    "@requires(\"1\")\nclass Chip(Device):\n    vendor = \"acme\"\n"
    "    instances = glob(\"/sys/class/accel/accel*\")\n"
    "    uuid = text(\"uuid\", cache=forever)\n"
    "    power = gauge(file(\"power\", u64, every=s(1)) / 1000000, unit=watts)\n"
    "    pcie_rx = counter(file(\"rx\", u64, every=s(1)), unit=bytes)\n"
    "    health = \"degraded\" if power > 300 else \"ok\"\n"
    "    health_reason = \"it draws a lot\" if power > 300 else absent\n";

class ProbeBackendTest : public ::testing::Test {
 protected:
  ProbeBackendTest() {
    std::string name = (fs::temp_directory_path() / "probe_backend_XXXXXX").string();
    root_ = mkdtemp(name.data());
    for (const char* device : {"accel0", "accel1"}) {
      fs::create_directories(root_ + "/sys/class/accel/" + device);
      Write(std::string("sys/class/accel/") + device + "/uuid", std::string("id-") + device);
      Write(std::string("sys/class/accel/") + device + "/power", "250000000\n");
      Write(std::string("sys/class/accel/") + device + "/rx", "1000\n");
    }
    Write("chip.probe", kSpec);
    chmod((root_ + "/chip.probe").c_str(), 0644);
  }
  ~ProbeBackendTest() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(root_ + "/" + name) << text;
  }
  std::unique_ptr<ProbeBackend> Open(std::vector<std::string> more = {}) {
    more.insert(more.begin(), root_ + "/chip.probe");
    return OpenProbeBackend(
        {.files = std::move(more),
         .root = root_,
         .worker = {},
         .clock = [this] { return now_; },
         .said = [this](std::string_view line) { log_ += std::string(line) + "\n"; }});
  }

  std::string root_;
  std::int64_t now_ = kS;
  std::string log_;
};

TEST_F(ProbeBackendTest, WhatOnlyItsSpecificationKnowsIsToldBeside) {
  Write("chip.probe", std::string(kSpec) +
                          "    serial = \"S1\"\n    firmware = \"1.2\"\n"
                          "    vendor_rx = gauge(file(\"rx\", u64), unit=bytes)\n"
                          "    vendor_is_busy = power > 100\n    vendor_word = \"w\"\n"
                          "    vendor_none = gauge(file(\"none\", u64), unit=none)\n");
  const auto states = Open()->Read();
  ASSERT_TRUE(states.ok());
  const device::DeviceState& one = (*states)[0];
  EXPECT_EQ(one.serial, "S1");
  EXPECT_EQ(one.firmware, "1.2");
  EXPECT_EQ(one.driver, "");
  ASSERT_EQ(one.own.size(), 2u);
  EXPECT_EQ(one.own[0].name, "vendor_rx");
  EXPECT_EQ(one.own[0].unit, "bytes");
  EXPECT_EQ(one.own[0].value, 1000);
  EXPECT_EQ(one.own[1].name, "vendor_is_busy");
  EXPECT_EQ(one.own[1].value, 1);
}

TEST_F(ProbeBackendTest, StandardMetricsAreTheNumbersOfAllMakers) {
  auto backend = Open();
  auto states = backend->Read();
  ASSERT_TRUE(states.ok());
  ASSERT_EQ(states->size(), 2u);
  EXPECT_EQ((*states)[1].uuid, "id-accel1");
  EXPECT_EQ((*states)[1].power_watts, 250);
  EXPECT_EQ((*states)[1].busy, std::nullopt);
  EXPECT_EQ((*states)[1].pcie_received_bytes_per_s, std::nullopt);
  EXPECT_EQ(device::HealthOf((*states)[1]).verdict, device::Verdict::kOk);
  Write("sys/class/accel/accel1/power", "350000000\n");
  Write("sys/class/accel/accel1/rx", "3000\n");
  now_ += 2 * kS;
  states = backend->Read();
  EXPECT_EQ((*states)[1].pcie_received_bytes_per_s, 1000);
  const device::Health health = device::HealthOf((*states)[1]);
  EXPECT_EQ(health.verdict, device::Verdict::kDegraded);
  EXPECT_EQ(health.reasons, std::vector<std::string>{"it draws a lot"});
}

TEST_F(ProbeBackendTest, AnUnknownHealthIsNotOk) {
  auto backend = Open();
  const auto read = [&] {
    now_ += kS;
    return device::HealthOf((*backend->Read())[1]);
  };
  Write("sys/class/accel/accel1/power", "350000000\n");
  EXPECT_EQ(read().reasons, std::vector<std::string>{"it draws a lot"});
  Write("sys/class/accel/accel1/power", "none\n");
  // What it was holds for two rounds.
  for (int i = 0; i < 2; ++i) EXPECT_EQ(read().reasons, std::vector<std::string>{"it draws a lot"});
  const device::Health health = read();
  EXPECT_EQ(health.verdict, device::Verdict::kDegraded);
  ASSERT_EQ(health.reasons.size(), 1u);
  EXPECT_THAT(health.reasons[0],
              HasSubstr("its health is unknown: /sys/class/accel/accel1/power: "));
  Write("sys/class/accel/accel1/power", "250000000\n");
  EXPECT_EQ(read().verdict, device::Verdict::kOk);
}

TEST_F(ProbeBackendTest, ADeviceThatFailedHasFailedWhileItsHealthIsUnknown) {
  std::string spec = kSpec;
  spec.replace(spec.find("\"degraded\""), std::string_view("\"degraded\"").size(), "\"failed\"");
  Write("chip.probe", spec);
  auto backend = Open();
  const auto read = [&] {
    now_ += kS;
    return device::HealthOf((*backend->Read())[1]);
  };
  Write("sys/class/accel/accel1/power", "350000000\n");
  EXPECT_EQ(read().verdict, device::Verdict::kFailed);
  Write("sys/class/accel/accel1/power", "N/A\n");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(read().verdict, device::Verdict::kFailed) << i;
  EXPECT_THAT(read().reasons[0], HasSubstr("it was failed, and since then its health is unknown"));
  fs::remove(root_ + "/sys/class/accel/accel1/power");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(read().verdict, device::Verdict::kFailed) << i;
  Write("sys/class/accel/accel1/power", "250000000\n");
  EXPECT_EQ(read().verdict, device::Verdict::kOk);
}

TEST_F(ProbeBackendTest, AFileThatChangesIsReadAnew) {
  auto backend = Open();
  EXPECT_EQ((*backend->Read())[0].power_watts, 250);
  std::string other = kSpec;
  other.replace(other.find("/ 1000000"), 9, "/ 100000 "),
      other.replace(other.find("unit=watts"), 10, "unit=watts  ");
  Write("chip.probe", other);
  EXPECT_EQ((*backend->Read())[0].power_watts, 2500);
  Write("chip.probe", "class");
  EXPECT_EQ((*backend->Read())[0].power_watts, 2500) << "the last good one stays";
}

TEST_F(ProbeBackendTest, DevicesKeepTheirNumbers) {
  auto backend = Open();
  const auto said = [&] {
    std::string text;
    const auto states = backend->Read();
    for (const device::DeviceState& state : *states)
      text += std::to_string(state.index) + " " + state.id + " " + state.uuid + "\n";
    return text;
  };
  EXPECT_EQ(said(), "0 Chip/accel0 id-accel0\n1 Chip/accel1 id-accel1\n");
  fs::remove_all(root_ + "/sys/class/accel/accel0");
  now_ += 31 * kS;
  EXPECT_EQ(said(), "1 Chip/accel1 id-accel1\n");
  // Another one comes, and the known one in another place.
  fs::create_directories(root_ + "/sys/class/accel/accel2");
  Write("sys/class/accel/accel2/uuid", "id-new");
  fs::rename(root_ + "/sys/class/accel/accel1", root_ + "/sys/class/accel/accel0");
  now_ += 31 * kS;
  EXPECT_EQ(said(), "1 Chip/accel0 id-accel1\n2 Chip/accel2 id-new\n");
}

TEST_F(ProbeBackendTest, AFileThatIsReadAnewHasAnotherVersion) {
  auto backend = Open();
  const std::string file = root_ + "/chip.probe";
  ASSERT_TRUE(backend->Read().ok());
  EXPECT_EQ(backend->versions().at(file), 0u);
  std::string none = kSpec;
  none.replace(none.find("accel*"), 6, "none*");
  Write("chip.probe", none);
  EXPECT_FALSE(backend->Read().ok());
  EXPECT_EQ(backend->versions().at(file), 1u);
  Write("chip.probe", "class");
  EXPECT_FALSE(backend->Read().ok());
  EXPECT_EQ(backend->versions().at(file), 1u) << "the last good one stays";
}

TEST_F(ProbeBackendTest, WhatIsWrongOrAnybodysIsRefusedAlone) {
  Write("wrong.probe", "class\n");
  Write("open.probe", kSpec);
  chmod((root_ + "/open.probe").c_str(), 0666);
  auto backend = Open({root_ + "/wrong.probe", root_ + "/open.probe", root_ + "/none.probe"});
  EXPECT_EQ(backend->Read()->size(), 2u);
  EXPECT_EQ(backend->refused(), 3);
  EXPECT_THAT(log_, HasSubstr("probe: " + root_ + "/wrong.probe:1:6: "));
  EXPECT_THAT(log_, HasSubstr("others than its owner may write to it"));
  EXPECT_THAT(log_, HasSubstr("none.probe: No such file"));
  EXPECT_FALSE(CheckSpecs({root_ + "/open.probe"}).ok());
  EXPECT_FALSE(CheckSpecs({root_ + "/wrong.probe"}).ok());
  EXPECT_TRUE(CheckSpecs({root_ + "/chip.probe"}).ok());
  // Told once, and in use as soon as it is right.
  log_.clear();
  EXPECT_EQ(backend->Read()->size(), 2u);
  EXPECT_EQ(log_, "");
  std::string text = kSpec;
  Write("wrong.probe", text.replace(text.find("Chip"), 4, "Other"));
  chmod((root_ + "/wrong.probe").c_str(), 0644);
  EXPECT_EQ(backend->Read()->size(), 4u);
  EXPECT_EQ(backend->refused(), 2);
  // A change that is wrong is told, too.
  Write("chip.probe", "class\n");
  EXPECT_EQ(backend->Read()->size(), 4u);
  EXPECT_THAT(log_, HasSubstr("chip.probe:1:6: "));
  EXPECT_THAT(log_, HasSubstr("; the version before stays in use\n"));
}

TEST_F(ProbeBackendTest, FaultsAreToldAndCounted) {
  auto backend = Open();
  const auto read = [&](std::int64_t after_ns) {
    log_.clear();
    now_ += after_ns;
    EXPECT_TRUE(backend->Read().ok());
    return log_;
  };
  EXPECT_EQ(read(kS), "");
  EXPECT_TRUE(backend->faults().empty());
  Write("sys/class/accel/accel1/power", "none\n");
  EXPECT_THAT(read(kS), HasSubstr(": /sys/class/accel/accel1/power: "));
  EXPECT_EQ(read(kS), "");
  Write("sys/class/accel/accel1/power", "250000000\n");
  EXPECT_EQ(read(kS), "") << "one that comes and goes does not fill the log";
  EXPECT_THAT(read(60 * kS), HasSubstr(": there again\n"));
  ASSERT_EQ(backend->faults().size(), 1u);
  EXPECT_EQ(backend->faults()[0].device_class, "Chip");
  EXPECT_EQ(backend->faults()[0].fault, "unreadable");
  EXPECT_EQ(backend->faults()[0].count, 2u);
  fs::remove_all(root_ + "/sys/class/accel/accel1");
  read(31 * kS);
  Write("chip.probe", std::string(kSpec) + "    model = \"A\"\n");
  EXPECT_EQ(read(kS), "probe: " + root_ + "/chip.probe: read anew\n");
  EXPECT_EQ(backend->faults()[0].count, 2u) << "a counter does not fall";
}

TEST_F(ProbeBackendTest, WithoutDevicesNothingIsFound) {
  fs::remove_all(root_ + "/sys/class/accel");
  auto backend = Open();
  const auto states = backend->Read();
  EXPECT_EQ(states.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(states.status().message(), "probe: there is no device of Chip");
}

}  // namespace
}  // namespace rankscope::probe
