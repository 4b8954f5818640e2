// Frames of dynolog's RPC: a length (int32, little-endian) and that many bytes of JSON, both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::wire {

inline constexpr std::size_t kMostFrameBytes = std::size_t{1} << 20;
// Of a caller who has to show something first that is in the frame.
inline constexpr std::size_t kMostStrangersFrameBytes = std::size_t{64} << 10;

std::string ToFrame(std::string_view json);

// The first frame in `bytes`; nullopt while it is incomplete. kBadData for a length below 0 or
// above `most`, as soon as the first four bytes are there.
Result<std::optional<std::string_view>> FrameIn(std::string_view bytes,
                                                std::size_t most = kMostFrameBytes);

}  // namespace rankscope::wire
