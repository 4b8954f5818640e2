// Lists in pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope::service {

// ?limit=: 1 to `most`, `usual` without.
Result<std::size_t> LimitOf(std::string_view text, std::size_t usual, std::size_t most,
                            std::string_view name = "limit");

// A cursor encodes a text, the place after which the next page begins. Clients only send it back.
std::string ToCursor(std::string_view place);
Result<std::string> FromCursor(std::string_view cursor);

std::optional<std::int64_t> ParseInteger(std::string_view text);

}  // namespace rankscope::service
