// Accounting: the exact division of a rank's step windows into compute, exposed communication,
// exposed copies and idle time, found while the simulation runs.
//
// It is the independent oracle for the analyses: a single sweep over the streams' queues that looks
// at every moment once, with none of base/interval.h. Memory: the work that the device has queued.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/gpu.h"

namespace rankscope::sim {

enum class Work : std::uint8_t { kCompute, kCommunication, kCopy };
inline constexpr int kWorkCount = 3;

// Nanoseconds of one window. compute + exposed_communication + exposed_copy + idle is its length.
struct WindowAccount {
  int step = 0;  // its ProfilerStep number
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::array<std::int64_t, kWorkCount> busy_ns{};  // union per kind, whatever else runs
  std::int64_t exposed_communication_ns = 0;       // no compute at the same time
  std::int64_t exposed_copy_ns = 0;                // neither compute nor communication
  std::int64_t idle_ns = 0;
};

class Accounting {
 public:
  // A window begins, and the one before it ends. Times never decrease from call to call.
  void OpenWindow(int step, std::int64_t begin_ns);
  // Work [begin, end) of a stream, after all earlier work of that stream. No later call will bring
  // work that begins before `known_ns`: the host's clock, since work starts after its launch.
  void Add(Stream stream, Work work, std::int64_t begin_ns, std::int64_t end_ns,
           std::int64_t known_ns);
  // Ends the last window and the accounting.
  void Close(std::int64_t end_ns);

  const std::vector<WindowAccount>& windows() const { return windows_; }

 private:
  struct Item {
    Work work;
    std::int64_t begin_ns;
    std::int64_t end_ns;
  };

  void SweepTo(std::int64_t until_ns);
  void Account(std::int64_t begin_ns, std::int64_t end_ns, unsigned busy);

  std::array<std::deque<Item>, kStreamCount> queues_;
  std::vector<WindowAccount> windows_;
  std::size_t current_ = 0;  // the window that holds swept_ns_, unless none does yet
  std::int64_t swept_ns_ = 0;
};

}  // namespace rankscope::sim
