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
// What a Status means to who asked. 503 where the store of contents is away (store::IsAway). What
// went wrong here, not there, is 500 or, without room on the disk or in memory, 507: they say so in
// general words, and the log (Reply::note) the Status's.
http::Reply ErrorReply(const Status& status);
// The same for what the store keeps and cannot give any more: 500, whoever asked.
http::Reply DamagedReply(const Status& status);
// What every reply says to browsers, whatever it is.
void AddSecurityFields(http::Reply& reply);

// A content that never changes: with its ETag; 304 when the request has it already.
http::Reply ContentReply(const http::Head& head, std::string path, std::uint64_t bytes,
                         std::string_view sha256, std::string_view type);

}  // namespace rankscope::service
