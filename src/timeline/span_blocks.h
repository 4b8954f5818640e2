// Encodes spans for a timeline file: one column after the other, starts as differences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "timeline/rank_timeline.h"

namespace rankscope {

std::string ToBlock(std::span<const TimelineSpan> spans);
// Appends the `count` spans of a block.
Status FromBlock(std::string_view packed, std::size_t count, std::vector<TimelineSpan>& spans);

// The format for browsers: JSON that describes the rest, padded with blanks to 8 bytes, preceded by
// its length in 8 bytes; then start_ns and duration_ns (float64), name, event and count (uint32),
// track (uint16), lane, kind, share and flags (uint8), each as a column over all spans.
std::string ToColumns(std::string json, std::span<const TimelineSpan> spans,
                      std::span<const std::uint16_t> tracks);

}  // namespace rankscope
