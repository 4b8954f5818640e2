#include "probe/run/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "probe/run/lines.h"
#include "probe/source/fake_reader_for_test.h"

namespace rankscope::probe {
namespace {

using ::testing::HasSubstr;

// What a metric `vendor_x` of `expression` is after the sources a (u64), b (i64) and f (f64) had
// these values, a second apart.
std::string ValueOf(const std::string& expression, const std::vector<Value>& a_values,
                    const Value& b = {}, const Value& f = {}, FaultCounts* faults = nullptr) {
  const Spec spec = SpecOf(
      "    a = file(\"/sys/a\", u64, every=s(1))\n    b = file(\"/sys/b\", i64, every=s(1))\n"
      "    f = file(\"/sys/f\", f64, every=s(1))\n    vendor_x = gauge(" +
      expression + ", unit=none)\n");
  FakeReader reader;
  Module module(spec.devices[0], reader, [] { return 0; });
  for (std::size_t i = 0; i < a_values.size(); ++i) {
    reader.values = {{"a", a_values[i]}, {"b", b}, {"f", f}};
    module.Refresh(static_cast<std::int64_t>(i + 1) * kS);
  }
  if (faults != nullptr) *faults = module.instances()[0].faults;
  return MetricText(spec.devices[0], spec.devices[0].exports[0],
                    module.instances()[0].metrics[0].value);
}

Value U(std::uint64_t value) { return {value}; }
Value I(std::int64_t value) { return {value}; }

TEST(Evaluation, IsPythonsOnWholeNumbers) {
  EXPECT_EQ(ValueOf("b // 2", {U(0)}, I(-7)), "-4");
  EXPECT_EQ(ValueOf("b % 3", {U(0)}, I(-7)), "2");
  EXPECT_EQ(ValueOf("b % -3", {U(0)}, I(7)), "-2");
  EXPECT_EQ(ValueOf("b / 2", {U(0)}, I(-7)), "-3.5");
  EXPECT_EQ(ValueOf("-b", {U(0)}, I(-7)), "7");
  EXPECT_EQ(ValueOf("abs(b)", {U(0)}, I(-7)), "7");
  EXPECT_EQ(ValueOf("a & 0x0F | 1 << 8", {U(0xFFF3)}), "259");
  EXPECT_EQ(ValueOf("~a >> 60", {U(0)}), "15");
  EXPECT_EQ(ValueOf("i64(f)", {U(0)}, I(0), {-1.9}), "-1");
  EXPECT_EQ(ValueOf("max([a * u64(i) for i in range(1, 4)])", {U(5)}), "15");
  EXPECT_EQ(ValueOf("max(a, 3)", {U(2)}), "3");
  EXPECT_EQ(ValueOf("sum([1, 2.5])", {U(2)}), "3.5");
}

TEST(Evaluation, WhatCannotBeComputedIsAbsentAndCounted) {
  FaultCounts faults;
  EXPECT_EQ(ValueOf("a - 3", {U(2)}, {}, {}, &faults), "absent");
  EXPECT_EQ(faults.Of(Fault::kOverflow), 1u);
  EXPECT_EQ(ValueOf("a + 1", {U(UINT64_MAX)}, {}, {}, &faults), "absent");
  EXPECT_EQ(faults.Of(Fault::kOverflow), 1u);
  EXPECT_EQ(ValueOf("-b", {U(0)}, I(INT64_MIN), {}, &faults), "absent");
  EXPECT_EQ(ValueOf("b // -1", {U(0)}, I(INT64_MIN), {}, &faults), "absent");
  EXPECT_EQ(ValueOf("b % -1", {U(0)}, I(INT64_MIN), {}, &faults), "0");
  EXPECT_EQ(ValueOf("1 / a", {U(0)}, {}, {}, &faults), "absent");
  EXPECT_EQ(faults.Of(Fault::kDivision), 1u);
  EXPECT_EQ(ValueOf("u64(b)", {U(0)}, I(-1), {}, &faults), "absent");
  EXPECT_EQ(faults.Of(Fault::kConversion), 1u);
  EXPECT_EQ(ValueOf("[1, 2][a]", {U(2)}, {}, {}, &faults), "absent");
  EXPECT_EQ(faults.Of(Fault::kElement), 1u);
  EXPECT_EQ(ValueOf("f * 1e308 * 10.0", {U(2)}, I(0), {10.0}, &faults), "absent");
  EXPECT_EQ(faults.Of(Fault::kNotFinite), 1u);
}

TEST(Evaluation, AbsentSpreadsAndIsTested) {
  EXPECT_EQ(ValueOf("b + 1", {U(1)}), "absent");
  EXPECT_EQ(ValueOf("1 if b > 1 else 2", {U(1)}), "absent");
  EXPECT_EQ(ValueOf("1 if b is None else 2", {U(1)}), "1");
  EXPECT_EQ(ValueOf("1 if b is not None and b > 0 else 2", {U(1)}), "2");
  EXPECT_EQ(ValueOf("1 if b is None or b > 0 else 2", {U(1)}), "1");
  EXPECT_EQ(ValueOf("or_else(b, 5)", {U(1)}), "5");
  EXPECT_EQ(ValueOf("or_else(b, absent)", {U(1)}), "absent");
  EXPECT_EQ(ValueOf("max(a, u64(b))", {U(1)}), "absent");
  EXPECT_EQ(ValueOf("absent", {U(1)}), "absent");
}

struct CounterCase {
  std::string expression;
  std::vector<Value> values;
  std::string expected;
};

// Two readings a second apart, and what is made of them.
TEST(Counters, WrapAndReset) {
  constexpr std::uint64_t kTop32 = UINT32_MAX;
  const std::vector<CounterCase> cases = {
      {"delta(a)", {U(10)}, "absent"},  // there is nothing to compare with
      {"delta(a)", {U(10), U(15)}, "5"},
      {"delta(a)", {U(10), U(10)}, "0"},
      {"delta(a)", {U(15), U(10)}, "absent"},  // it began again
      {"delta(a)", {U(15), U(10), U(12)}, "2"},
      {"delta(a)", {U(15), {}, U(12)}, "absent"},  // one is missing
      {"delta(a, wrap=32)", {U(kTop32), U(0)}, "1"},
      {"delta(a, wrap=32)", {U(kTop32 - 1), U(kTop32)}, "1"},
      {"delta(a, wrap=32)", {U(kTop32), U(kTop32)}, "0"},
      {"delta(a, wrap=32)", {U(kTop32), U(kTop32 + 1)}, "absent"},  // it is wider than declared
      {"delta(a, wrap=48)", {U((std::uint64_t{1} << 48) - 2), U(3)}, "5"},
      {"delta(a, wrap=64)", {U(UINT64_MAX), U(4)}, "5"},
      {"delta(a)", {U(0), U(UINT64_MAX)}, "18446744073709551615"},
      {"rate(a)", {U(10), U(15)}, "5"},
      {"rate(a, wrap=32)", {U(kTop32), U(9)}, "10"},
      {"delta(a) / delta(monotonic_ns())", {U(0), U(500'000'000)}, "0.5"},
      {"delta(a * 2)", {U(1), U(4)}, "6"},
  };
  for (const CounterCase& one : cases)
    EXPECT_EQ(ValueOf(one.expression, one.values), one.expected) << one.expression;
}

TEST(Module, BoundsDropTheSampleAndCount) {
  const Spec spec = SpecOf(
      "    t = file(\"/sys/t\", i64)\n"
      "    temperature = gauge(t / 1000, unit=celsius, lo=-40, hi=150)\n"
      "    health = \"degraded\" if temperature > 95 else \"ok\"\n");
  FakeReader reader;
  reader.values["t"] = I(96'000);
  Module module(spec.devices[0], reader);
  module.Refresh(kS);
  EXPECT_EQ(MetricLines(module), "chip temperature 96 celsius\nchip health degraded none\n");
  reader.values["t"] = I(960'000);
  module.Refresh(11 * kS);
  EXPECT_EQ(MetricLines(module), "chip temperature absent celsius\nchip health absent none\n");
  EXPECT_EQ(module.instances()[0].faults.Of(Fault::kBounds), 1u);
}

TEST(Module, EverySourceHasItsSchedule) {
  const Spec spec = SpecOf(
      "    fast = file(\"/sys/f\", u64, every=s(1))\n    slow = file(\"/sys/s\", u64)\n"
      "    once = file(\"/sys/o\", u64, cache=forever)\n"
      "    unused = file(\"/sys/u\", u64, every=ms(10))\n"
      "    vendor_x = gauge(fast + slow + once, unit=none)\n");
  FakeReader reader;
  reader.values = {{"fast", U(1)}, {"slow", U(2)}, {"once", U(3)}};
  Module module(spec.devices[0], reader);
  for (std::int64_t ms = 0; ms < 30'500; ms += 100) module.Refresh((1000 + ms) * 1'000'000);
  EXPECT_EQ(module.rounds(), 31u);
  EXPECT_EQ(reader.reads["fast"], 31);
  EXPECT_EQ(reader.reads["slow"], 4);
  EXPECT_EQ(reader.reads["once"], 1);
  EXPECT_EQ(reader.reads["unused"], 0);
  // As old as the oldest that it comes from.
  EXPECT_EQ(module.instances()[0].metrics[0].time_ns, kS);
  // What was missed is not made up for.
  EXPECT_FALSE(module.Refresh(31 * kS + 900'000'000));
  EXPECT_TRUE(module.Refresh(1000 * kS));
  EXPECT_EQ(reader.reads["fast"], 32);
  EXPECT_EQ(module.NextDue_ns(), 1001 * kS);
}

TEST(Module, WhatIsReadOnceIsTriedAgainUntilItIsThere) {
  const Spec spec = SpecOf(
      "    once = file(\"/sys/o\", u64, cache=forever)\n"
      "    fast = file(\"/sys/f\", u64, every=s(1), optional=True)\n"
      "    vendor_x = gauge(once + or_else(fast, 0), unit=none)\n");
  FakeReader reader;
  Module module(spec.devices[0], reader);
  for (int second = 1; second <= 15; ++second) module.Refresh(second * kS);
  EXPECT_EQ(reader.reads["once"], 2);
  reader.values["once"] = U(7);
  for (int second = 16; second <= 60; ++second) module.Refresh(second * kS);
  EXPECT_EQ(reader.reads["once"], 3);
  EXPECT_EQ(MetricLines(module), "chip vendor_x 7 none\n");
  const InstanceState& state = module.instances()[0];
  EXPECT_EQ(state.costs[0].faults[static_cast<std::size_t>(ReadFault::kMissing)], 2u);
  EXPECT_EQ(state.costs[1].faults[static_cast<std::size_t>(ReadFault::kMissing)], 0u);  // optional
}

TEST(Module, ADeltaKeepsItsSourcesTogether) {
  const Spec spec = SpecOf(
      "    a = file(\"/sys/a\", u64, every=s(2))\n    b = file(\"/sys/b\", u64)\n"
      "    vendor_x = gauge(delta(a) / delta(b), unit=none)\n");
  EXPECT_EQ(spec.devices[0].sources[1].every_ns, 2 * kS);
}

TEST(Module, InstancesComeAndGo) {
  const Spec spec = SpecOf(
      "    instances = glob(\"/sys/class/accel/accel*\")\n"
      "    a = file(\"a\", u64, every=s(1))\n    vendor_x = gauge(delta(a), unit=none)\n"
      "    vendor_index = gauge(index, unit=none)\n");
  FakeReader reader;
  reader.folders = {"/sys/class/accel/accel0"};
  reader.values["a"] = U(5);
  Module module(spec.devices[0], reader);
  module.Refresh(kS);
  reader.folders = {"/sys/class/accel/accel0", "/sys/class/accel/accel1"};
  module.Refresh(2 * kS);
  ASSERT_EQ(module.instances().size(), 1u);  // looked for every 30 s
  module.Refresh(31 * kS);
  EXPECT_EQ(MetricLines(module),
            "accel0 vendor_x 0 none\naccel0 vendor_index 0 none\n"
            "accel1 vendor_x absent none\naccel1 vendor_index 1 none\n");
  // One that says that it is gone is looked for at once.
  reader.folders = {"/sys/class/accel/accel1"};
  reader.faults["a"] = ReadFault::kGone;
  reader.values["a"] = {};
  module.Refresh(32 * kS);
  reader.faults.clear();
  reader.values["a"] = U(9);
  module.Refresh(33 * kS);
  EXPECT_EQ(MetricLines(module), "accel1 vendor_x absent none\naccel1 vendor_index 1 none\n");
}

TEST(Module, MemoryStaysFlat) {
  const Spec spec = SpecOf(
      "    a = file(\"/sys/a\", u64, every=ms(10))\n    vendor_x = gauge(rate(a), unit=none)\n");
  FakeReader reader;
  reader.values["a"] = U(1);
  Module module(spec.devices[0], reader, [] { return 0; });
  for (std::int64_t round = 1; round <= 100'000; ++round) module.Refresh(round * 10'000'000);
  EXPECT_EQ(module.rounds(), 100'000u);
  EXPECT_EQ(MetricLines(module), "chip vendor_x 0 none\n");
}

std::string LinesAfter(Module& module, FakeReader& reader, ReadFault of_a, std::int64_t now_ns) {
  reader.faults["a"] = of_a;
  reader.values["a"] = of_a == ReadFault::kNone ? U(1) : Value{};
  module.Refresh(now_ns);
  return MetricLines(module);
}

TEST(Rounds, ACallThatIsLostInEachOfThemDegrades) {
  const Spec spec = SpecOf(
      "    drv = library(\"liba.so\")\n"
      "    a = drv.call(\"a\", out(u64), every=s(2))\n    b = drv.call(\"b\", out(u64), "
      "every=s(1))\n"
      "    vendor_b = gauge(b, unit=none)\n"
      "    health = \"failed\" if a > 100 else \"ok\"\n    health_reason = absent\n");
  for (const auto& [fault, reason] : {std::pair(ReadFault::kCrashed, "driver-crashed"),
                                      std::pair(ReadFault::kCorrupt, "driver-crashed"),
                                      std::pair(ReadFault::kGone, "driver-crashed"),
                                      std::pair(ReadFault::kStuck, "driver-stuck")}) {
    FakeReader reader;
    reader.values["b"] = U(1);
    Module module(spec.devices[0], reader, [] { return 0; });
    std::int64_t now = kS;
    EXPECT_THAT(LinesAfter(module, reader, ReadFault::kNone, now), HasSubstr("health ok none\n"));
    // What b answers in between is no recovery of a.
    for (int i = 0; i < 4; ++i)
      EXPECT_THAT(LinesAfter(module, reader, fault, now += kS),
                  HasSubstr("chip vendor_b 1 none\n"));
    EXPECT_EQ(module.instances()[0].silent_rounds, 2);
    EXPECT_THAT(MetricLines(module), HasSubstr("health absent none\n"));
    LinesAfter(module, reader, fault, now += kS);
    EXPECT_THAT(LinesAfter(module, reader, fault, now += kS), HasSubstr("health degraded none\n"));
    EXPECT_THAT(MetricLines(module), HasSubstr(std::string("health_reason ") + reason));
    LinesAfter(module, reader, ReadFault::kNone, now += kS);
    EXPECT_THAT(LinesAfter(module, reader, ReadFault::kNone, now += kS),
                HasSubstr("health ok none\nchip health_reason absent none\n"));
  }
}

TEST(Rounds, DevicesBeyondTheBoundAreTold) {
  FakeReader reader;
  reader.values["instances"] = U(1'000'000'000);
  const Spec counted = SpecOf(
      "    drv = library(\"liba.so\")\n    instances = range(drv.call(\"count\", out(u64)))\n"
      "    vendor_a = gauge(index, unit=none)\n");
  Module of_library(counted.devices[0], reader, [] { return 0; });
  of_library.Refresh(kS);
  EXPECT_EQ(of_library.instances().size(), Module::kMostInstances);
  EXPECT_THAT(of_library.trouble(), HasSubstr("more than 1024 devices"));

  const Spec found =
      SpecOf("    instances = glob(\"/sys/a*\")\n    vendor_a = gauge(index, unit=none)\n");
  for (std::size_t i = 0; i < Module::kMostInstances; ++i)
    reader.folders.push_back("/sys/a" + std::to_string(i));
  Module of_folders(found.devices[0], reader, [] { return 0; });
  of_folders.Refresh(kS);
  EXPECT_EQ(of_folders.trouble(), "");
  reader.folders.emplace_back("/sys/a9999");
  of_folders.Refresh(100 * kS);
  EXPECT_EQ(of_folders.instances().size(), Module::kMostInstances);
  EXPECT_THAT(of_folders.trouble(), HasSubstr("more than 1024 devices"));
}

TEST(Rounds, AnUnknownHealthIsCountedWhereItsSourcesAreRead) {
  const Spec spec = SpecOf(
      "    a = file(\"/sys/a\", u64, every=s(2))\n    b = file(\"/sys/b\", u64, every=s(1))\n"
      "    vendor_b = gauge(b, unit=none)\n    health = \"degraded\" if a > 100 else \"ok\"\n");
  FakeReader reader;
  reader.values["b"] = U(1);
  Module module(spec.devices[0], reader, [] { return 0; });
  for (int second = 1; second <= 4; ++second)
    LinesAfter(module, reader, ReadFault::kBusy, second * kS);
  EXPECT_EQ(module.instances()[0].unknown_health_rounds, 2);
  LinesAfter(module, reader, ReadFault::kNone, 5 * kS);
  EXPECT_EQ(module.instances()[0].unknown_health_rounds, 0);
}

}  // namespace
}  // namespace rankscope::probe
