// Encodes forms for requests (application/x-www-form-urlencoded).
#pragma once

#include <string>
#include <string_view>

#include "fetch/transport.h"

namespace rankscope::oidc {

// Every byte except letters, digits and - . _ ~ as %XX.
std::string Escaped(std::string_view text);
// "a=1&b=x%20y"
std::string Form(const fetch::Pairs& fields);

}  // namespace rankscope::oidc
