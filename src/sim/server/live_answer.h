// Answers that come from a LiveEngine by and by, as replies of HTTP: an event stream, or a text
// when the last token is there. When nobody reads them any more, the engine gives up the request.
#pragma once

#include "http/message.h"
#include "sim/server/answer_text.h"
#include "sim/server/live_engine.h"

namespace rankscope::sim {

// Submits the request. Errors as of LiveEngine::Submit. The engine outlives the reply.
Result<http::Reply> StreamFrom(LiveEngine& engine, RequestSpec spec, AnswerText text);
Result<http::Reply> WholeFrom(LiveEngine& engine, RequestSpec spec, AnswerText text);

// Of an answer that is there as a whole.
http::Reply EventsReply(std::string events);
http::Reply JsonReply(int status, std::string json);

}  // namespace rankscope::sim
