// Converts DuckDB's error messages to a Status with one sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::sql {

// Whether the user can add command line options.
enum class ErrorHints : std::uint8_t { kOptions, kNone };

// "Binder Error: Referenced column "nam" not found ...!\nCandidate bindings: ...\n\nLINE 1: ..."
// loses its class and its quotation of the query, and keeps the hints. The class determines the
// code. With kOptions, errors about memory and permissions say how to get more. An error about an
// unknown table suggests the most similar one.
Status StatusOf(std::string_view message, const std::vector<std::string>& views, ErrorHints hints);

}  // namespace rankscope::sql
