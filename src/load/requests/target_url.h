// The address of the server under load, and the path of its requests, from a URL.
#pragma once

#include <string_view>

#include "base/status.h"
#include "load/base/spec.h"

namespace rankscope::load {

// Sets address and path of `target`, whose endpoint is known. A path in the URL is that of the
// requests; behind a path that ends in "/v1", as clients of OpenAI's API take it, stands that of
// the endpoint. kInvalidArgument: no HTTP server, or a path here and in `target.path`.
Status TakeUrl(std::string_view url, Target& target);

}  // namespace rankscope::load
