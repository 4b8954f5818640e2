// Spans as bytes of a timeline file: a column after the other, starts as differences.
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
// Appends the spans of a block, of which there are `count`.
Status FromBlock(std::string_view packed, std::size_t count, std::vector<TimelineSpan>& spans);

// The same for browsers: JSON that says what follows, padded with blanks to 8 bytes, its length in
// the first 8; then start_ns and duration_ns (float64), name, event and count (uint32), track
// (uint16), lane, kind, share and flags (uint8), each a column of all spans.
std::string ToColumns(std::string json, std::span<const TimelineSpan> spans,
                      std::span<const std::uint16_t> tracks);

}  // namespace rankscope
