// What an answer tells, as it comes: when its first token was there, how far apart the others came,
// how many there were, and what went wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "load/base/spec.h"
#include "load/requests/event_stream.h"
#include "serving/base/data.h"

namespace rankscope::load {

// Bounds what is kept of an answer that is no stream.
inline constexpr std::size_t kMostKept = std::size_t{16} << 20;

class Answer {
 public:
  Answer(Endpoint endpoint, bool is_streamed) : endpoint_(endpoint), is_streamed_(is_streamed) {}

  void SetStatus(int status) { status_ = status; }
  // `at` counts from when the request was meant to be sent.
  void Take(std::int64_t at, std::string_view piece);
  // Puts what is known into `request`: tokens (by the server's usage), ttft, gaps, and where it
  // failed the outcome and why.
  void Finish(serving::Request& request);
  // What was said, for the next turn of a conversation.
  const std::string& text() const { return text_; }

 private:
  void TakeEvent(std::int64_t at, std::string_view data);
  void TakeDocument(std::string_view text, std::int64_t at);

  const Endpoint endpoint_;
  const bool is_streamed_;
  int status_ = 0;
  EventStream events_;
  std::string kept_;  // of an error, a whole document, or what is no event
  std::string text_;
  std::string problem_;
  bool has_event_ = false;
  bool has_ended_ = false;  // [DONE], or a reason to finish
  serving::Ns first_token_, last_token_;
  std::vector<std::int64_t> gaps_;
  serving::Count prompt_tokens_, output_tokens_, cached_tokens_;
};

}  // namespace rankscope::load
