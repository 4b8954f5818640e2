// Incremental answers of a LiveEngine as HTTP replies: an event stream, or one text after the last
// token. When the client stops reading, the engine aborts the request.
#pragma once

#include "http/message.h"
#include "sim/server/answer_text.h"
#include "sim/server/live_engine.h"

namespace rankscope::sim {

// Submits the request. Errors as in LiveEngine::Submit. The engine must outlive the reply.
Result<http::Reply> StreamFrom(LiveEngine& engine, RequestSpec spec, AnswerText text);
Result<http::Reply> WholeFrom(LiveEngine& engine, RequestSpec spec, AnswerText text);

// A reply for events that are already complete.
http::Reply EventsReply(std::string events);
http::Reply JsonReply(int status, std::string json);

}  // namespace rankscope::sim
