// AnswerText: an answer in the format of OpenAI's API, whole or as an event stream.
#pragma once

#include <cstdint>
#include <string>

#include "sim/server/completion_request.h"
#include "sim/serving/sequence.h"

namespace rankscope::sim {

struct AnswerFacts {
  std::string id;  // "cmpl-...", "chatcmpl-..."
  std::string model;
  CompletionKind kind = CompletionKind::kText;
  std::int64_t created_s = 0;      // since 1970
  std::int64_t output_tokens = 0;  // total in this answer
  bool ends_by_itself = false;
  bool tells_usage = false;       // in the stream
  std::int64_t chunk_tokens = 1;  // per chunk, except the first chunk (one token) and the last
  std::uint64_t words_key = 0;
};

// Not thread-safe.
class AnswerText {
 public:
  explicit AnswerText(AnswerFacts facts) : facts_(std::move(facts)) {}

  // Appends what a stream sends for one more token, possibly nothing yet.
  void AddToken(std::string& events);
  // Call after the last token.
  void End(const RequestRecord& record, std::string& events) const;
  // The answer to a request without a stream.
  std::string Whole(const RequestRecord& record) const;

 private:
  void AddChunk(std::string& events, std::string_view text, bool is_last) const;

  AnswerFacts facts_;
  std::int64_t tokens_ = 0;
  std::string unsent_;
  std::int64_t unsent_tokens_ = 0;
};

}  // namespace rankscope::sim
