// `analyze --fail-on GATE`: whether findings are bad enough to fail a build.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "schemas/findings.h"
#include "table/table_of.h"

namespace rankscope {

// A usage error for anything except high, medium, low or the id of a finding.
Status CheckGate(std::string_view gate);

// The sentence about what hits the gate: the first finding with that id, or with that severity or a
// worse one. nullopt if there is none. An error for a cause that was not evaluated: a job must not
// pass unchecked. `not_evaluated` may be null.
Result<std::optional<std::string>> GateHit(std::string_view gate, ViewOf<Findings> findings,
                                           const Table* not_evaluated);

}  // namespace rankscope
