// Replies of the API.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "http/message.h"

namespace rankscope::service {

http::Reply JsonReply(int status, std::string json);
// {"error":{"code":CODE,"message":SENTENCE}}; codes are those of docs/api.md.
http::Reply ErrorReply(int status, std::string_view code, std::string_view sentence);
// The reply for a Status. 503 if the store of contents is away (store::IsAway). Errors of this
// server are 500, or 507 without room on the disk or in memory. They are worded in general terms,
// and the log (Reply::note) has the Status's words.
http::Reply ErrorReply(const Status& status);
// The same for stored data that the store cannot return any more: 500 for every caller.
http::Reply DamagedReply(const Status& status);
// The headers for browsers in every reply.
void AddSecurityFields(http::Reply& reply);

// A content that never changes, with its ETag; 304 if the client has it already.
http::Reply ContentReply(const http::Head& head, std::string path, std::uint64_t bytes,
                         std::string_view sha256, std::string_view type);

}  // namespace rankscope::service
