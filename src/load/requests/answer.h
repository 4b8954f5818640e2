// Measures an answer as it arrives: time of the first token, gaps between tokens, number of tokens,
// and errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "load/base/spec.h"
#include "load/requests/event_stream.h"
#include "serving/base/data.h"

namespace rankscope::load {

// Limit of what is kept of an answer that is not a stream.
inline constexpr std::size_t kMostKept = std::size_t{16} << 20;

class Answer {
 public:
  Answer(Endpoint endpoint, bool is_streamed) : endpoint_(endpoint), is_streamed_(is_streamed) {}

  void SetStatus(int status) { status_ = status; }
  // `at` is relative to the scheduled send time of the request.
  void Take(std::int64_t at, std::string_view piece);
  // Stores the results in `request`: tokens (from the server's usage), ttft, gaps, and after a
  // failure the outcome and the reason.
  void Finish(serving::Request& request);
  // The answer's text, for the next turn of a conversation.
  const std::string& text() const { return text_; }

 private:
  void TakeEvent(std::int64_t at, std::string_view data);
  void TakeDocument(std::string_view text, std::int64_t at);

  const Endpoint endpoint_;
  const bool is_streamed_;
  int status_ = 0;
  EventStream events_;
  std::string kept_;  // an error, a whole document, or text that is not an event
  std::string text_;
  std::string problem_;
  bool has_event_ = false;
  bool has_ended_ = false;  // [DONE], or a finish reason
  serving::Ns first_token_, last_token_;
  std::vector<std::int64_t> gaps_;
  serving::Count prompt_tokens_, output_tokens_, cached_tokens_;
};

}  // namespace rankscope::load
