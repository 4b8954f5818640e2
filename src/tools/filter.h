// Filter: copies of traces with selected events, unchanged byte by byte.
//
// An event is kept if it satisfies every condition that is set. Events that give it meaning
// stay, too: metadata (ph M) always; and, unless `links` is off, the launch of a kept kernel,
// copy or wait, and the device work of a kept launch. An arrow is kept if both of its ends are;
// if one end was not recorded, its time decides. Begins and ends (ph B, E) are kept in pairs.
// Without conditions everything is kept; with conditions, events without a usable time are
// dropped.
//
// Steps are windows on the host ([begin of mark n, begin of mark n+1)). A host event belongs to the
// step in which it begins, a Python frame to every step that it overlaps, so that stacks stay
// complete. Device work belongs to the step of its launch; without a launch, to the step in which
// it begins. Annotations of devices belong to every step that they overlap.
//
// Three passes over the file on all cores. Memory: about 4 MB per thread, between one bit and two
// bytes per launch, and 50 bytes per arrow that no correlation id repeats.
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
  std::optional<std::set<std::int64_t>> ranks;  // for merged documents
  std::optional<std::set<std::int64_t>> steps;
  std::optional<TimeRange> time;        // relative to the first event; keeps what overlaps it
  std::vector<std::string> categories;  // any of these, as in the file
  std::vector<std::string> names;       // any of these patterns: * ? [a-z]
  std::optional<std::set<std::int64_t>> streams;  // argument "stream" of device work
  std::int64_t min_dur_ns = 0;  // minimum duration; 0: also events without a duration
  std::optional<std::int64_t> max_dur_ns;
  bool python = true;  // false: no Python frames
  bool links = true;
  int threads = 1;
};

struct FilterReport {
  Written written;
  std::vector<std::string> losses;  // sentences on what could not be read
};

// For a merged document: the traces of the chosen ranks. A single one is written by itself, several
// are merged again.
Result<FilterReport> FilterTraces(const std::string& from, const FilterOptions& options,
                                  const std::string& to);

}  // namespace rankscope::tools
