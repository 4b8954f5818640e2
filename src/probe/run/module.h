// A running specification: which instances exist, when each source is due, and the value of every
// metric after a round.
//
//   Module module(spec.devices[0], *reader);
//   module.Refresh(now_ns);  // reads what is due, in one round
//   for (const InstanceState& one : module.instances()) ...
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/run/program.h"
#include "probe/source/reading.h"

namespace rankscope::probe {

// For one source of one instance, over all rounds.
struct SourceCost {
  std::uint64_t reads = 0;
  std::int64_t sum_ns = 0, most_ns = 0;
  std::array<std::uint64_t, kReadFaults> faults{};
  ReadFault fault = ReadFault::kNone;  // of the last reading
  std::string why;                     // the same in words; "": it was good
};

struct Metric {
  Value value;
  std::int64_t time_ns = 0;  // of the oldest sample that it uses; 0: it uses none
};

struct InstanceState {
  Instance instance;
  std::vector<Metric> metrics;  // in the order of the device's exports
  Samples samples;
  std::unique_ptr<Program::Memory> memory;
  std::vector<SourceCost> costs;       // in the order of the device's sources
  std::vector<std::int64_t> retry_ns;  // when to retry a source that is read only once
  FaultCounts faults;                  // of evaluation
  // Consecutive rounds in which a call got no answer, be it that it hangs or that the library's
  // process ended, and the health_reason that tells it.
  int silent_rounds = 0;
  std::string_view silence;  // "driver-stuck", "driver-crashed"; "": it answers
  // Consecutive rounds in which what `health` depends on was read, and it was absent nevertheless.
  int unknown_health_rounds = 0;
};

// Not thread-safe (monitor.h is). Refers to spec and reader.
class Module {
 public:
  // Interval between searches for new and lost instances.
  static constexpr std::int64_t kDiscoverEvery_ns = 30'000'000'000;
  static constexpr std::size_t kMostInstances = 1024;
  // After this many rounds without an answer of its driver a device counts as degraded, regardless
  // of its specification: health is "degraded" and health_reason "driver-stuck" or
  // "driver-crashed".
  static constexpr int kSilentRounds = 3;

  Module(std::unique_ptr<const Program> program, SourceReader& reader, Clock clock = MonotonicNow);
  // Uses the interpreter.
  Module(const DeviceSpec& device, SourceReader& reader, Clock clock = MonotonicNow);

  // Reads all sources that are due at `now_ns` and evaluates what depends on them. False if nothing
  // is due. A source is due at multiples of its period since the first round; missed readings are
  // not made up for.
  bool Refresh(std::int64_t now_ns);
  // When the next source is due. 0 before the first round.
  std::int64_t NextDue_ns() const { return next_due_ns_; }

  const DeviceSpec& device() const { return device_; }
  const std::vector<InstanceState>& instances() const { return instances_; }
  std::uint64_t rounds() const { return rounds_; }
  // How often each fault happened, over all rounds and instances, also those that are gone.
  std::map<std::string_view, std::uint64_t> CountedFaults() const;
  // The fault because of which there are no instances; "" if there was none.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Period {
    std::int64_t every_ns = 0;
    std::int64_t due_ns = 0;
  };

  void Discover(std::int64_t now_ns);
  std::vector<Instance> FindInstances(std::int64_t now_ns);
  std::vector<Instance> Known() const;
  void TellTooMany();
  static void AddFaults(const InstanceState& state,
                        std::map<std::string_view, std::uint64_t>& counts);
  bool IsWanted(const Instance& candidate, std::int64_t now_ns);
  InstanceState Empty(const Instance& instance) const;
  void ReadForDiscovery(InstanceState& state, std::int64_t now_ns);
  bool IsDue(const InstanceState& state, std::size_t source, std::int64_t now_ns) const;
  void ReadDue(InstanceState& state, std::int64_t now_ns);
  void ReadOne(InstanceState& state, std::size_t source, std::int64_t now_ns);
  std::optional<Reading> Ask(InstanceState& state, std::size_t source);
  std::vector<int> ForgetArguments(InstanceState& state, const Source& call) const;
  void CountSilence(InstanceState& state, const std::vector<char>& is_read) const;
  static void TakeHealth(InstanceState& state, const Export& health,
                         const std::vector<char>& is_read, Value& value);
  void TakeMetrics(InstanceState& state, const std::vector<char>& is_read);

  std::unique_ptr<const Program> program_;
  const DeviceSpec& device_;
  SourceReader& reader_;
  Clock clock_;  // measures the time of readings
  std::vector<Period> periods_;
  std::vector<InstanceState> instances_;
  std::int64_t discover_due_ns_ = 0, next_due_ns_ = 0;
  std::uint64_t rounds_ = 0;
  bool is_gone_ = false;  // a device disappeared in the last round
  std::string trouble_;
  // Of instances that are gone.
  std::map<std::string_view, std::uint64_t> old_faults_;
};

}  // namespace rankscope::probe
