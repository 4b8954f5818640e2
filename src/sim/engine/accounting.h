// Accounting: the steps of a rank's device, each divided exactly into compute, exposed
// communication, exposed copies and idle time while the simulation runs.
//
//   step n of the device is [C(n-1), C(n)); C(n) = latest end of the kernels that the host
//   launched before its step n ended; C(-1) is the later of the first step's mark and the end of
//   earlier kernels
//
// Time after the last C belongs to no window. A step without kernels has an empty window.
//
// It is the independent oracle for the analyses: one sweep over the streams' queues looks at every
// moment once and does not use base/interval.h. Memory: the work queued on the device.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/model/gpu.h"

namespace rankscope::sim {

enum class Work : std::uint8_t { kCompute, kCommunication, kCopy };
inline constexpr int kWorkCount = 3;

// Nanoseconds of one window. compute + exposed_communication + exposed_copy + idle is its length.
struct WindowAccount {
  int step = 0;  // its ProfilerStep number
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::array<std::int64_t, kWorkCount> busy_ns{};  // union per kind, whatever else runs at the time
  std::int64_t exposed_communication_ns = 0;       // no compute at the same time
  std::int64_t exposed_copy_ns = 0;                // no compute or communication at the same time
  std::int64_t idle_ns = 0;
};

class Accounting {
 public:
  // The host begins a step. The step's window begins at the end of the previous window. All work of
  // the previous step must have been added.
  void BeginStep(int step, std::int64_t mark_ns);
  // Work [begin, end) that the host's current step launched on a stream, after all earlier work of
  // that stream. `known_ns` is the host's clock: no later call adds work that begins earlier, since
  // work starts after its launch.
  void Add(Stream stream, Work work, std::int64_t begin_ns, std::int64_t end_ns,
           std::int64_t known_ns);
  // Ends the last window and the accounting.
  void Close();

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
  std::size_t current_ = 0;  // the window that holds swept_ns_, if one exists already
  std::int64_t swept_ns_ = 0;
  std::int64_t done_ns_ = 0;  // C of the host's current step, as far as known
};

}  // namespace rankscope::sim
