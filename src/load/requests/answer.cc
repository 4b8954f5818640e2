#include "load/requests/answer.h"

#include <fmt/core.h>

#include <utility>

#include "json/reader.h"
#include "serving/base/words.h"

namespace rankscope::load {
namespace {

constexpr std::size_t kMostProblem = 200;
constexpr std::size_t kMostWithoutEvent = 4096;
constexpr std::int64_t kMostAnswerTokens = 100'000'000;  // of a request

serving::Count TokensOf(const json::Value& value) {
  const auto number = value.Integer();
  return number && *number >= 0 && *number <= kMostAnswerTokens ? number : std::nullopt;
}

std::string ProblemOf(const json::Value& root) {
  const json::Value error = root["error"];
  if (!error.IsKnown()) return {};
  const std::string text = error["message"].TextOr(error.ToString());
  return text.substr(0, kMostProblem);
}

}  // namespace

void Answer::TakeDocument(std::string_view text, std::int64_t at) {
  const auto reader = json::Reader::Parse(text);
  if (!reader.ok()) {
    if (problem_.empty()) problem_ = "a part of the answer is no JSON";
    return;
  }
  const json::Value root = reader->root();
  if (std::string problem = ProblemOf(root); !problem.empty()) {
    problem_ = std::move(problem);
    return;
  }
  bool has_text = false;
  for (const json::Value& choice : root["choices"].Items()) {
    const json::Value said = choice[is_streamed_ ? "delta" : "message"];
    for (const json::Value& one : {choice["text"], said["content"], said["reasoning_content"],
                                   said["reasoning"], said["tool_calls"]}) {
      const auto piece = one.Text();
      has_text = has_text || (piece && !piece->empty()) || one.IsArray();
      if (piece && text_.size() + piece->size() < kMostKept) text_ += *piece;
    }
    has_ended_ = has_ended_ || choice["finish_reason"].IsKnown();
  }
  const json::Value usage = root["usage"];
  if (usage.IsKnown()) {
    prompt_tokens_ = TokensOf(usage["prompt_tokens"]);
    output_tokens_ = TokensOf(usage["completion_tokens"]);
    cached_tokens_ = TokensOf(usage["prompt_tokens_details"]["cached_tokens"]);
  }
  if (!has_text || !is_streamed_) return;
  if (!first_token_) {
    first_token_ = at;
  } else {
    gaps_.push_back(at - *last_token_);
  }
  last_token_ = at;
}

void Answer::TakeEvent(std::int64_t at, std::string_view data) {
  has_event_ = true;
  if (data == "[DONE]") {
    has_ended_ = true;
    return;
  }
  TakeDocument(data, at);
}

void Answer::Take(std::int64_t at, std::string_view piece) {
  if (status_ == 200 && is_streamed_ && endpoint_ != Endpoint::kPlain) {
    events_.Take(piece, [&](std::string_view data) { TakeEvent(at, data); });
    if (!has_event_ && kept_.size() + piece.size() <= kMostWithoutEvent) kept_ += piece;
    return;
  }
  if (endpoint_ == Endpoint::kPlain && status_ < 400) {
    if (!first_token_) first_token_ = at;
    return;
  }
  if (kept_.size() + piece.size() <= kMostKept) kept_ += piece;
}

void Answer::Finish(serving::Request& request) {
  if (status_ >= 400 || (status_ != 200 && endpoint_ != Endpoint::kPlain)) {
    const auto reader = json::Reader::Parse(kept_);
    const std::string why = reader.ok() ? ProblemOf(reader->root()) : std::string();
    request.outcome = serving::Outcome::kFailed;
    request.problem =
        why.empty() ? fmt::format("status {}", status_) : fmt::format("{}: {}", status_, why);
    return;
  }
  if (endpoint_ != Endpoint::kPlain && !is_streamed_) {
    if (kept_.starts_with("data:")) {
      problem_ = "it streams, --no-stream or not";
    } else {
      TakeDocument(kept_, 0);
    }
  }
  // Of any answer the first byte is no token.
  if (endpoint_ != Endpoint::kPlain) request.ttft = first_token_;
  request.gaps = std::move(gaps_);
  request.prompt_tokens = prompt_tokens_;
  request.output_tokens = output_tokens_;
  request.cached_tokens = cached_tokens_;
  if (problem_.empty() && endpoint_ != Endpoint::kPlain && !has_ended_)
    problem_ = !is_streamed_ || has_event_ || kept_.empty() ? "the answer ended before it was whole"
                                                            : "it has no events; --no-stream?";
  if (problem_.empty()) return;
  request.outcome = serving::Outcome::kFailed;
  request.problem = problem_;
}

}  // namespace rankscope::load
