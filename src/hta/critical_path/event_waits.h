// Resolves CUDA events: the device work before an event's record, and the work that waits for it.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <vector>

#include "hta/frame.h"

namespace rankscope::hta {

// Views the whole frame, since a wait may refer to work outside of its window.
//
// Cost: memory for two copies of each launch, O(n log n) to make, O(log n) per query.
class EventWaits {
 public:
  EventWaits(const Frame& frame, const EventsByIndex& events);

  // Index in the file of the last work that any thread launched on a stream of a device before the
  // cudaEventRecord with this correlation began. nullopt: no such record, or no work.
  std::optional<std::int64_t> WorkBeforeRecord(std::int64_t record_correlation, std::int64_t device,
                                               std::int64_t stream) const;
  // Index in the file of the work that the thread of this cudaStreamWaitEvent launches next on the
  // stream.
  std::optional<std::int64_t> WorkAfter(const Event& wait_call, std::int64_t stream) const;

 private:
  // Place and time of a launch: on (device, stream), or by (pid, tid) on a stream.
  struct Launch {
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t stream = 0;
    std::int64_t ts = 0;
    std::int64_t work = 0;  // index in the file
  };
  static bool ComesBefore(const Launch& a, const Launch& b);
  static bool IsSamePlace(const Launch& a, const Launch& b);

  const Frame& frame_;
  std::vector<Launch> by_stream_;
  std::vector<Launch> by_thread_;
  boost::unordered_flat_map<std::int64_t, std::int64_t> records_;  // begin time by correlation
};

}  // namespace rankscope::hta
