// DuckDB's error messages as a Status with one sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::sql {

// "Binder Error: Referenced column "nam" not found ...!\nCandidate bindings: ...\n\nLINE 1: ..."
// loses its class and its quotation of the query, and keeps the hints. The class decides the code.
// Lack of memory says how to get more. A table that does not exist brings the nearest that does.
Status StatusOf(std::string_view message, const std::vector<std::string>& views);

}  // namespace rankscope::sql
