// The traces of several ranks as one, on one time line: what `trace merge` does.
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
  kAligned,  // moved by what the ends of collectives say
};

struct Merged {
  std::size_t traces = 0;
  std::uint64_t events = 0;
  // Ranks whose clocks stay as they were recorded, since no collective links them with others.
  std::set<std::int64_t> unaligned;
};

// Pieces of a split trace become the whole again. The result is packed when `to` ends in .gz or
// .zst. What could not be read is a notice.
Result<Merged> MergeTraces(const std::vector<std::string>& paths, MergedClocks clocks,
                           const std::string& to, int threads, Listener& listener);

}  // namespace rankscope::app
