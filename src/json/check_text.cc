#include "json/check_text.h"

#include <algorithm>

namespace rankscope::json {

Status CheckText(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() > most)
    return Error(StatusCode::kInvalidArgument, "{} has {} bytes; up to {} are kept", what,
                 text.size(), most);
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
  };
  if (std::ranges::any_of(text, is_control))
    return Error(StatusCode::kInvalidArgument, "{} has a control character", what);
  return OkStatus();
}

}  // namespace rankscope::json
