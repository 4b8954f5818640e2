// Values of a function's buffer or result, as they lie in memory.
#pragma once

#include <string_view>

#include "probe/check/spec.h"

namespace rankscope::probe {

std::size_t BytesOf(const DeviceSpec& device, const Layout& layout);
// `bytes` is as long as the layout. Texts end before their first NUL; what is no UTF-8 is absent.
Value Decode(const DeviceSpec& device, const Layout& layout, std::string_view bytes);

}  // namespace rankscope::probe
