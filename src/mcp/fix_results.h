// Patches as an answer: bounded, since a model reads it.
#pragma once

#include <string>

#include "fix/base/request.h"
#include "json/reader.h"
#include "mcp/results.h"

namespace rankscope::mcp {

inline constexpr std::size_t kMostDiffBytes = 48 << 10;
inline constexpr std::size_t kMostChanges = 100;  // and as many that are left

// `nothing`: why there is no patch; "" where there is one. A diff that is too long is left out as a
// whole: a part of it is no patch.
FixResult FixResultOf(const fix::Patches& patches, const std::string& nothing);
// The same of rankscope.fix/1, as a server answers it (fix/output/json.h).
FixResult FixResultOf(const json::Value& patch);

}  // namespace rankscope::mcp
