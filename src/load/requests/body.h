// Builds the requests for an endpoint.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/request_loop.h"
#include "load/base/spec.h"

namespace rankscope::load {

// The previous turns of a conversation: user and assistant alternate, the user first.
using Conversation = std::vector<std::string>;

// Target and body for one request; `id` is sent as X-Request-Id. With a conversation, the prompt is
// its last turn.
http::LoopRequest RequestFor(const Target& target, const std::string& id, std::string_view prompt,
                             const Conversation& before, std::int32_t output_tokens);

// Checks that --extra is an object; otherwise kInvalidArgument.
Status CheckExtra(std::string_view extra);

}  // namespace rankscope::load
