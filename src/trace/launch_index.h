// Finds the call that launched device work, by correlation id.
//
// An id identifies one call in a process. A file may contain several processes (a parent and its
// workers, merged ranks). Their profilers all count from 1, so equal ids belong to different calls,
// and device work states its device but not its process. Such work is matched by time and by its
// stream: work that no other process could have launched, and work and calls of an id that pair in
// order.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

class LaunchIndex {
 public:
  // Rows must be sorted. Calls are kRuntime rows of host threads; in a trace without any, ops with
  // an id. Of two calls of a process with the same id the first counts. O(rows), and O(n log n) in
  // the rows with an id of several processes.
  explicit LaunchIndex(const RankTrace& trace);

  // The first call with the id, whatever its process; kNoRow.
  Row Find(std::int64_t id) const;
  // The call that launched the device work in `row`, or kNoRow. If several processes launch, never
  // a call that begins later than the work by more than the clock difference between host and
  // device.
  Row LaunchOf(Row row) const;
  // The call of a process (a pid) with the id; kNoRow.
  using Process = std::int64_t;
  Row FindInProcess(Process process, std::int64_t id) const;
  Process ProcessOf(Row call) const { return trace_.track_of(call).first; }

 private:
  struct Votes {
    std::map<Process, std::uint32_t> of;
    std::uint32_t count = 0;
  };
  using Stream = std::pair<std::int64_t, std::int64_t>;

  template <typename Visit>
  void ForEachCall(Visit visit) const;
  void TakeFirstCalls();
  void MatchShared();
  void MatchId(const std::vector<Row>& calls, std::vector<Row>& works);
  void FollowStreams();
  Stream StreamOf(Row work) const {
    return {trace_.track_of(work).first, trace_.track_of(work).second};
  }
  bool IsBefore(Row call, Row work) const { return trace_.ts_ns[call] <= trace_.ts_ns[work]; }

  const RankTrace& trace_;
  EventKind kind_of_calls_ = EventKind::kRuntime;
  bool has_processes_ = false;  // calls are of several
  std::int64_t low_ = 0;
  std::vector<Row> dense_;  // when ids are dense, as a profiler's counter makes them
  boost::unordered_flat_map<std::int64_t, Row> sparse_;
  // Ids of several processes: the first call of each, by time; and the call of each work.
  boost::unordered_flat_map<std::int64_t, std::vector<Row>> shared_;
  boost::unordered_flat_map<std::pair<Process, std::int64_t>, Row> of_process_;  // of these
  boost::unordered_flat_map<Row, Row> launch_of_;
};

}  // namespace rankscope
