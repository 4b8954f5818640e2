// Which call launched a piece of device work, by correlation id.
//
// An id is one call's in a process. A file may hold several processes (a parent and its workers,
// ranks that were merged), whose profilers count from 1 each: then equal ids are of different
// calls, and device work says its device and not its process. Such work is matched by time and by
// what its stream shows: work that no other process could have launched, and works and calls of an
// id that pair in their order.
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
  // Rows are sorted. Calls are kRuntime rows of host threads; in a trace without any, ops that have
  // an id. Of two calls of a process with one id the first counts. O(rows), and O(n log n) in the
  // rows whose id is of several processes.
  explicit LaunchIndex(const RankTrace& trace);

  // The first call with the id, whatever its process; kNoRow.
  Row Find(std::int64_t id) const;
  // The call that launched the work of a device in `row`; kNoRow. Where several processes launch,
  // never one that begins behind the work by more than clocks of hosts and devices differ.
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
  // Ids of several processes: their first calls each, by time; and the call of each work.
  boost::unordered_flat_map<std::int64_t, std::vector<Row>> shared_;
  boost::unordered_flat_map<std::pair<Process, std::int64_t>, Row> of_process_;  // of these
  boost::unordered_flat_map<Row, Row> launch_of_;
};

}  // namespace rankscope
