// Specifications against a library that does what a file says: tests/fake/accel.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units_for_test.h"
#include "base/until.h"
#include "probe/live/live_reader.h"
#include "probe/run/host.h"

namespace rankscope::probe {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LibraryTest : public ::testing::Test {
 protected:
  LibraryTest() {
    std::string name = (fs::temp_directory_path() / "probe_library_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    setenv("FAKE_ACCEL", (folder_ + "/said").c_str(), 1);
    setenv("FAKE_ACCEL_LOG", (folder_ + "/log").c_str(), 1);
    setenv("LD_LIBRARY_PATH", FAKE_ACCEL_FOLDER, 1);
    Say("");
    Load("minutes(5)");
    reader_ = OpenReader({.root = "", .worker = {PROBE_WORKER}});
  }
  ~LibraryTest() override { fs::remove_all(folder_); }

  // The example with another timeout: how fast a machine is decides nothing.
  void Load(const std::string& timeout) {
    auto text =
        ReadFile(std::string(std::getenv("RANKSCOPE_SOURCE_DIR")) + "/examples/probes/accel.probe");
    RS_CHECK(text.ok());
    text->replace(text->find("ms(200)"), 7, timeout);
    Diagnostics diagnostics;
    spec_ = CheckText("accel.probe", *text, diagnostics);
    RS_CHECK(!diagnostics.has_errors());
  }
  void Say(const std::string& lines) { std::ofstream(folder_ + "/said") << lines; }
  // "stats" -> how often it was called.
  std::map<std::string, int> Calls() const {
    std::map<std::string, int> calls;
    std::ifstream log(folder_ + "/log");
    for (std::string name, pid; log >> name >> pid;) ++calls[name];
    return calls;
  }
  std::string Faults(const Host& host) {
    std::string all;
    for (const std::string& line : FaultLines(host)) all += line + "\n";
    return all;
  }

  std::string folder_;
  Spec spec_;
  std::unique_ptr<SourceReader> reader_;
};

TEST_F(LibraryTest, AnswersBecomeMetrics) {
  ASSERT_EQ(spec_.devices.size(), 1u);
  Host host(spec_, *reader_);
  Say("temperature 41.5\ncore 1000\nerrors 4294967290\n");
  host.Refresh(kS);
  Say("temperature 41.5\ncore 50001000\nerrors 2\n");
  host.Refresh(kS + kS / 2);
  const std::string lines = MetricLines(host);
  EXPECT_THAT(lines, HasSubstr("accel0 model \"Fake Accel 100\" none\n"));
  // The eighth core: 8 * 50 ms of 500 ms.
  EXPECT_THAT(lines, HasSubstr("accel0 device_utilization 0.8 ratio\n"));
  EXPECT_THAT(lines, HasSubstr("accel0 power 250 watts\n"));
  EXPECT_THAT(lines, HasSubstr("accel0 clock 1500000000 hertz\n"));
  EXPECT_THAT(lines, HasSubstr("accel0 temperature 41.5 celsius\n"));
  EXPECT_THAT(lines, HasSubstr("accel0 vendor_state RUN none\n"));
  EXPECT_THAT(lines, HasSubstr("accel0 vendor_queued 120 count\n"));
  EXPECT_THAT(lines, HasSubstr("accel0 vendor_voltage 0.75 volts\n"));
  EXPECT_THAT(lines, HasSubstr("accel0 vendor_has_fan false none\n"));
  EXPECT_THAT(lines, HasSubstr("accel1 vendor_serial 1311768464867721217 none\n"));
  EXPECT_EQ(Faults(host), "");
  // Six of the eight counters wrapped, and each rose by 8.
  EXPECT_THAT(lines, HasSubstr("accel0 vendor_errors 64 count\n"));
  const auto calls = Calls();
  EXPECT_EQ(calls.at("init"), 1);
  EXPECT_EQ(calls.at("open"), 2);   // once a device
  EXPECT_EQ(calls.at("stats"), 4);  // a device and round
}

TEST_F(LibraryTest, StatusesHaveTheirNames) {
  Host host(spec_, *reader_);
  host.Refresh(kS);
  EXPECT_THAT(MetricLines(host), HasSubstr("accel0 temperature absent celsius\n"));
  EXPECT_THAT(MetricLines(host), HasSubstr("accel0 health ok none\n"));
  EXPECT_THAT(Faults(host), HasSubstr("accel0 celsius_now: accel_temperature() returned "
                                      "NOT_SUPPORTED (3)\n"));
}

TEST_F(LibraryTest, TheLibraryIsShutDown) {
  {
    Host host(spec_, *reader_);
    host.Refresh(kS);
  }
  reader_.reset();
  EXPECT_EQ(Calls()["fini"], 1);
}

TEST_F(LibraryTest, AMissingLibraryIsAMissingDevice) {
  setenv("LD_LIBRARY_PATH", folder_.c_str(), 1);
  Host host(spec_, *reader_);
  host.Refresh(kS);
  EXPECT_TRUE(host.modules()[0].instances().empty());
  EXPECT_THAT(Faults(host), HasSubstr("libfake_accel.so: cannot open shared object file"));
}

// Two devices by files, whose numbers are a library's.
constexpr const char* kByFiles =
    "@requires(\"1\")\nclass Chip(Device):\n    vendor = \"acme\"\n"
    "    instances = glob(\"/sys/class/accel/accel*\")\n"
    "    drv = library(\"libaccel_of_nobody.so\", init=\"accel_init\")\n"
    "    power = gauge(drv.call(\"accel_power\", index, out(u32), every=s(1)), unit=watts)\n"
    "    health = \"degraded\" if or_else(power, 0) > 300 else \"ok\"\n";

TEST_F(LibraryTest, AMissingLibraryIsNotADriverThatIsStuck) {
  fs::create_directories(folder_ + "/sys/class/accel/accel0");
  fs::create_directories(folder_ + "/sys/class/accel/accel1");
  Diagnostics diagnostics;
  spec_ = CheckText("chip.probe", kByFiles, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors());
  reader_ = OpenReader({.root = folder_, .worker = {PROBE_WORKER}});
  Host host(spec_, *reader_);
  for (int round = 1; round <= 8; ++round) host.Refresh(round * kS);
  ASSERT_EQ(host.modules()[0].instances().size(), 2u);
  for (const InstanceState& state : host.modules()[0].instances()) {
    const SourceCost& cost = state.costs[0];
    EXPECT_EQ(cost.faults[static_cast<std::size_t>(ReadFault::kMissing)], 8u);
    EXPECT_THAT(cost.why, HasSubstr("libaccel_of_nobody.so: cannot open shared object file"));
  }
  EXPECT_THAT(MetricLines(host), HasSubstr("accel1 health ok none\n"));
}

TEST_F(LibraryTest, AnInitThatFailsIsTold) {
  Say("init 7\n");
  Host host(spec_, *reader_);
  host.Refresh(kS);
  EXPECT_TRUE(host.modules()[0].instances().empty());
  EXPECT_THAT(Faults(host), HasSubstr("accel_init() returned 7"));
}

// A driver that takes long to begin is waited for by who asks once, and by an agent beside.
TEST_F(LibraryTest, AnInitThatTakesLongIsWaitedForOrGoesOnBeside) {
  Load("ms(200)");
  Say("init_ms 1000\n");
  Host patient(spec_, *reader_);
  patient.Refresh(kS);
  EXPECT_THAT(MetricLines(patient), HasSubstr("accel0 health ok none\n"));

  reader_ = OpenReader({.root = "", .worker = {PROBE_WORKER}, .opening = Opening::kGoesOnBeside});
  Say("init_ms 2000\n");
  Host host(spec_, *reader_);
  host.Refresh(kS);
  EXPECT_TRUE(host.modules()[0].instances().empty());
  EXPECT_THAT(Faults(host), HasSubstr("it is being opened"));
  const int begun = Calls()["init"];
  std::int64_t now = kS;
  EXPECT_TRUE(Until([&] {
    host.Refresh(now += 31 * kS);
    return Contains(MetricLines(host), "accel0 health ok none\n");
  }));
  EXPECT_EQ(Calls()["init"], begun) << "it was not begun again";
}

TEST_F(LibraryTest, ADriverThatIsStuckForThreeRoundsIsDegraded) {
  Load("ms(200)");
  Host host(spec_, *reader_);
  std::int64_t now = kS;
  EXPECT_TRUE(Until([&] {
    host.Refresh(now += 31 * kS);
    return Contains(MetricLines(host), "accel0 health ok none\n");
  }));
  Say("hang 1\n");
  const auto stuck = [&] { return host.modules()[0].instances()[0].silent_rounds; };
  EXPECT_TRUE(Until([&] {
    host.Refresh(now += kS);
    return stuck() >= Module::kSilentRounds;
  }));
  EXPECT_THAT(MetricLines(host), HasSubstr("accel0 health degraded none\n"));
  Say("");
  EXPECT_TRUE(Until([&] {
    host.Refresh(now += kS);
    return Contains(MetricLines(host), "accel0 health ok none\n");
  }));
}

TEST_F(LibraryTest, ACountThatHangsTakesNoDeviceAway) {
  Load("ms(200)");
  Host host(spec_, *reader_);
  std::int64_t now = kS;
  EXPECT_TRUE(Until([&] {
    host.Refresh(now += 31 * kS);
    return Contains(MetricLines(host), "accel1 power 250 watts\n");
  }));
  Say("count_hang 1\n");
  host.Refresh(now += 31 * kS);
  EXPECT_EQ(host.modules()[0].instances().size(), 2u);
  EXPECT_THAT(Faults(host), HasSubstr("Accel: libaccel.so.2: a call takes longer than 200 ms"));
  EXPECT_TRUE(Until([&] {
    host.Refresh(now += kS);
    return Contains(MetricLines(host), "accel1 power 250 watts\n");
  }));
}

// What one misbehaving call does, and that all is well again once it behaves.
class BadLibraryTest : public LibraryTest,
                       public ::testing::WithParamInterface<std::pair<const char*, ReadFault>> {};

TEST_P(BadLibraryTest, CostsItsDeviceAloneAndIsStartedAgain) {
  const auto [script, fault] = GetParam();
  if (fault == ReadFault::kStuck) Load("ms(200)");
  Host host(spec_, *reader_);
  std::int64_t now = kS;
  // Rounds of the injected clock. A process that was lost, be it because this machine is slow, is
  // started again after a second of the real one.
  const auto both_answer = [&] {
    host.Refresh(now += kS);
    const std::string lines = MetricLines(host);
    return Contains(lines, "accel0 power 250 watts\n") &&
           Contains(lines, "accel1 power 250 watts\n");
  };
  // The number of devices is asked for every 30 s.
  EXPECT_TRUE(Until([&] { return both_answer() || (now += 30 * kS, false); }));
  Say(script);
  host.Refresh(now += kS);
  const InstanceState& state = host.modules()[0].instances()[0];
  std::uint64_t faults = 0;
  for (const SourceCost& cost : state.costs) faults += cost.faults[static_cast<std::size_t>(fault)];
  EXPECT_GE(faults, 1u) << Faults(host) << MetricLines(host);
  EXPECT_THAT(MetricLines(host), HasSubstr("accel0 power absent watts\n"));
  Say("");
  EXPECT_TRUE(Until(both_answer));
  EXPECT_GE(Calls()["init"], 2);
  EXPECT_GE(Calls()["open"], 4);  // pointers of the first process are not handed on
}

// On one device only: the other is absent in no round.
TEST_P(BadLibraryTest, OfOneDeviceCostsTheOtherNothing) {
  const auto script = std::get<0>(GetParam());
  const ReadFault fault = std::get<1>(GetParam());
  if (fault == ReadFault::kStuck) Load("ms(200)");
  Host host(spec_, *reader_);
  std::int64_t now = kS;
  const auto has = [&](const char* line) { return Contains(MetricLines(host), line); };
  EXPECT_TRUE(Until([&] {
    host.Refresh(now += 31 * kS);
    return has("accel0 power 250 watts\n") && has("accel1 power 250 watts\n");
  }));
  Say(std::string(script) + "only 1\n");
  int absent = 0, rounds = 0;
  const auto lost = [&] {
    std::uint64_t sum = 0;
    for (const SourceCost& cost : host.modules()[0].instances()[1].costs)
      sum += cost.faults[static_cast<std::size_t>(fault)];
    return sum;
  };
  while (lost() < 4 && rounds < 100) {
    host.Refresh(now += kS);
    ++rounds;
    absent += !has("accel0 power 250 watts\n");
  }
  EXPECT_GE(lost(), 4u);
  EXPECT_THAT(MetricLines(host), HasSubstr("accel1 power absent watts\n"));
  EXPECT_THAT(MetricLines(host), HasSubstr("accel0 health ok none\n"));
  // A call that a slow machine does not answer in time is one, too.
  EXPECT_LE(absent, fault == ReadFault::kStuck ? rounds / 2 : 0) << "of " << rounds;
  Say("");
  EXPECT_TRUE(Until([&] {
    host.Refresh(now += kS);
    return has("accel1 power 250 watts\n");
  }));
}

INSTANTIATE_TEST_SUITE_P(Library, BadLibraryTest,
                         ::testing::Values(std::pair("hang 1\n", ReadFault::kStuck),
                                           std::pair("stats_ms 1000\n", ReadFault::kStuck),
                                           std::pair("crash 1\n", ReadFault::kCrashed),
                                           std::pair("overrun 1\n", ReadFault::kCorrupt)));

}  // namespace
}  // namespace rankscope::probe
