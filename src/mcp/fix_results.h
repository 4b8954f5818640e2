// Patches as an answer of limited size, since a model reads it.
#pragma once

#include <string>

#include "fix/base/request.h"
#include "json/reader.h"
#include "mcp/results.h"

namespace rankscope::mcp {

inline constexpr std::size_t kMostDiffBytes = 48 << 10;
inline constexpr std::size_t kMostChanges = 100;  // also the limit of those left to the user

// `nothing`: why there is no patch; "" if there is one. A diff that is too long is left out
// completely, since a part of it is not a valid patch.
FixResult FixResultOf(const fix::Patches& patches, const std::string& nothing);
// The same from rankscope.fix/1, a server's answer (fix/output/json.h).
FixResult FixResultOf(const json::Value& patch);

}  // namespace rankscope::mcp
