#include "probe/run/monitor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/until.h"
#include "probe/source/fake_reader_for_test.h"

namespace rankscope::probe {
namespace {

using std::chrono::nanoseconds;

// Counts readings; both sources of a round give its number. Waits while it is told to.
class CountingReader final : public SourceReader {
 public:
  std::atomic<std::uint64_t> reads = 0;
  std::atomic<bool> waits = false;
  std::vector<std::string> Folders(const std::string&) override { return {}; }
  Reading Read(const DeviceSpec&, int, const Instance&, std::span<const Value>) override {
    const std::uint64_t number = reads++ / 2;
    EXPECT_TRUE(Until([&] { return !waits; }));
    return {.value = {number}, .fault = ReadFault::kNone, .why = {}};
  }
};

constexpr const char* kTwin =
    "    a = file(\"/sys/a\", u64, every=ms(10))\n    b = file(\"/sys/b\", u64, every=ms(10))\n"
    "    vendor_a = gauge(a, unit=none)\n    vendor_b = gauge(b, unit=none)\n";

TEST(Monitor, ManyReadersMakeOneRoundEach) {
  const Spec spec = SpecOf(kTwin);
  CountingReader reader;
  std::atomic<std::int64_t> now = 1;
  Monitor monitor(std::make_unique<Module>(spec.devices[0], reader), [&] { return now.load(); });
  std::atomic<bool> ends = false;
  std::atomic<std::uint64_t> torn = 0, read = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 64; ++i)
    readers.emplace_back([&] {
      std::uint64_t last = 0;
      while (!ends) {
        const auto snapshot = monitor.Read(kTestLimit).snapshot;
        ++read;
        const auto& metrics = snapshot->instances[0].metrics;
        torn += metrics[0].value != metrics[1].value;
        torn += snapshot->round < last;
        last = snapshot->round;
      }
    });
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t before = read;
    EXPECT_TRUE(Until([&] { return read > before + 64; }));
    now += 10'000'000;
  }
  ends = true;
  for (std::thread& one : readers) one.join();
  const std::uint64_t rounds = monitor.Read(nanoseconds(0)).snapshot->round;
  EXPECT_EQ(torn, 0u);
  EXPECT_LE(rounds, 51u);
  EXPECT_EQ(reader.reads, 2 * rounds);
}

TEST(Monitor, WhoDoesNotWaitGetsWhatThereIs) {
  const Spec spec = SpecOf(kTwin);
  CountingReader reader;
  std::atomic<std::int64_t> now = 1;
  Monitor monitor(std::make_unique<Module>(spec.devices[0], reader), [&] { return now.load(); });
  EXPECT_FALSE(monitor.Read(nanoseconds(0)).is_stale);
  now += 10'000'000;
  reader.waits = true;
  std::thread slow([&] { EXPECT_EQ(monitor.Read(kTestLimit).snapshot->round, 2u); });
  EXPECT_TRUE(Until([&] { return reader.reads > 2; }));
  const Monitor::Answer answer = monitor.Read(nanoseconds(0));
  EXPECT_TRUE(answer.is_stale);
  EXPECT_EQ(answer.snapshot->round, 1u);
  reader.waits = false;
  slow.join();
  EXPECT_EQ(monitor.Read(nanoseconds(0)).snapshot->round, 2u);
}

}  // namespace
}  // namespace rankscope::probe
