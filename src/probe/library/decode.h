// Decodes values from the memory of a function's buffer or result.
#pragma once

#include <string_view>

#include "probe/check/spec.h"

namespace rankscope::probe {

std::size_t BytesOf(const DeviceSpec& device, const Layout& layout);
// `bytes` has the layout's length. Texts end at their first NUL; invalid UTF-8 is absent.
Value Decode(const DeviceSpec& device, const Layout& layout, std::string_view bytes);

}  // namespace rankscope::probe
