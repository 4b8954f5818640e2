// The requests that an endpoint takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/request_loop.h"
#include "load/base/spec.h"

namespace rankscope::load {

// Who said what before, for a conversation: user and assistant by turns, the user first.
using Conversation = std::vector<std::string>;

// Target and body for one request; `id` goes along as X-Request-Id. With a conversation the prompt
// is its last turn.
http::LoopRequest RequestFor(const Target& target, const std::string& id, std::string_view prompt,
                             const Conversation& before, std::int32_t output_tokens);

// --extra is an object; kInvalidArgument otherwise.
Status CheckExtra(std::string_view extra);

}  // namespace rankscope::load
