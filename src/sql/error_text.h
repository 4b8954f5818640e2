// DuckDB's error messages as a Status with one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::sql {

// Whether the one who asks can give options to the command line.
enum class ErrorHints : std::uint8_t { kOptions, kNone };

// "Binder Error: Referenced column "nam" not found ...!\nCandidate bindings: ...\n\nLINE 1: ..."
// loses its class and its quotation of the query, and keeps the hints. The class decides the code.
// With kOptions, lack of memory and of permission say how to get more. A table that does not exist
// brings the nearest that does.
Status StatusOf(std::string_view message, const std::vector<std::string>& views, ErrorHints hints);

}  // namespace rankscope::sql
