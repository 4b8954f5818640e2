// Filter: copies of traces with the events that somebody wants to see, byte by byte as they were.
//
// An event is kept when it satisfies every condition that is set. What gives meaning to what is
// kept stays too: metadata (ph M) always; and, unless `links` is off, the launch of a kept kernel,
// copy or wait, and the device's work of a kept launch. An arrow is kept when both of its ends are;
// one of whose ends nothing was recorded goes by its time.
// Begins and ends (ph B, E) are kept in pairs.
// Without any condition all is kept, else events without a usable time are not.
//
// Steps are windows on the host ([begin of mark n, begin of mark n+1)). A host event is in the step
// in which it begins, a Python frame in every step that it overlaps, so that stacks stay whole;
// device work is in the step of its launch, without one where it begins; annotations of devices
// are in every step that they overlap.
//
// Three passes over the file on all cores; memory: about 4 MB per thread, a bit to two bytes per
// launch, and 50 bytes per arrow that no correlation id states.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/write_traces.h"

namespace rankscope::tools {

struct TimeRange {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct FilterOptions {
  std::optional<std::set<std::int64_t>> ranks;  // of merged documents
  std::optional<std::set<std::int64_t>> steps;
  std::optional<TimeRange> time;        // from the trace's first event on; what overlaps it
  std::vector<std::string> categories;  // any of these, as in the file
  std::vector<std::string> names;       // any of these patterns: * ? [a-z]
  std::optional<std::set<std::int64_t>> streams;  // argument "stream" of device work
  std::int64_t min_dur_ns = 0;  // events of these durations; 0: also those without
  std::optional<std::int64_t> max_dur_ns;
  bool python = true;  // false: no Python frames
  bool links = true;
  int threads = 1;
};

struct FilterReport {
  Written written;
  std::vector<std::string> losses;  // sentences on what could not be read
};

// Of a merged document the traces of the chosen ranks: one of them is written on its own, several
// are merged again.
Result<FilterReport> FilterTraces(const std::string& from, const FilterOptions& options,
                                  const std::string& to);

}  // namespace rankscope::tools
