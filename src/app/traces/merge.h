// Merges the traces of several ranks on one timeline: the use case of `trace merge`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"

namespace rankscope::app {

enum class MergedClocks : std::uint8_t {
  kAsRecorded,
  kAligned,  // shifted by the clock offsets from the ends of collectives
};

struct Merged {
  std::size_t traces = 0;
  std::uint64_t events = 0;
  // Ranks with their recorded clocks, since no collective links them with others.
  std::set<std::int64_t> unaligned;
};

// Pieces of a split trace become the original trace. The result is compressed if `to` ends in .gz
// or .zst. Unreadable files are notices.
Result<Merged> MergeTraces(const std::vector<std::string>& paths, MergedClocks clocks,
                           const std::string& to, int threads, Listener& listener);

}  // namespace rankscope::app
