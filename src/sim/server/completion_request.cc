#include "sim/server/completion_request.h"

#include "json/reader.h"
#include "sim/server/token_text.h"

namespace rankscope::sim {
namespace {

constexpr std::int64_t kCompletionRequestMostTokens = 1 << 30;
constexpr std::int64_t kMostTokenId = INT32_MAX;

void TakeText(std::string_view text, CompletionRequest& request) {
  request.prompt_tokens = CountTokens(text);
  request.block_hashes = BlockHashes(text);
}

Status TakeIds(const std::vector<json::Value>& items, CompletionRequest& request) {
  std::vector<std::int64_t> ids;
  ids.reserve(items.size());
  for (const json::Value& item : items) {
    RS_ASSIGN_OR_RETURN(const std::int64_t id, item.NeedInteger(0, kMostTokenId));
    ids.push_back(id);
  }
  request.prompt_tokens = static_cast<std::int64_t>(ids.size());
  request.block_hashes = BlockHashes(ids);
  return OkStatus();
}

Status TakePrompt(const json::Value& prompt, CompletionRequest& request) {
  if (const auto text = prompt.Text()) {
    TakeText(*text, request);
    return OkStatus();
  }
  const auto items = prompt.Items();
  if (items.empty()) return prompt.Wrong("a text or a list of token ids is needed");
  if (items.front().Integer()) return TakeIds(items, request);
  if (items.size() != 1) return prompt.Wrong("one prompt at a time is served here");
  return TakePrompt(items.front(), request);
}

// A text, or parts of which some have one.
Result<std::string> ContentOf(const json::Value& content) {
  if (const auto text = content.Text()) return std::string(*text);
  RS_ASSIGN_OR_RETURN(const auto parts, content.NeedItems());
  std::string all;
  for (const json::Value& part : parts) all += part["text"].TextOr("");
  return all;
}

Status TakeMessages(const json::Value& messages, CompletionRequest& request) {
  RS_ASSIGN_OR_RETURN(const auto items, messages.NeedItems());
  std::string text;
  for (const json::Value& message : items) {
    RS_ASSIGN_OR_RETURN(const std::string_view role, message["role"].NeedText());
    RS_ASSIGN_OR_RETURN(const std::string content, ContentOf(message["content"]));
    text.append(role).append("\n").append(content).append("\n");
  }
  TakeText(text, request);
  return OkStatus();
}

Status TakeFlag(const json::Value& value, bool& flag) {
  if (!value.IsKnown()) return OkStatus();
  RS_ASSIGN_OR_RETURN(flag, value.NeedFlag());
  return OkStatus();
}

Status TakeLength(const json::Value& root, CompletionRequest& request) {
  for (const char* name : {"max_tokens", "max_completion_tokens"}) {
    if (!root[name].IsKnown()) continue;
    RS_ASSIGN_OR_RETURN(request.max_tokens,
                        root[name].NeedInteger(1, kCompletionRequestMostTokens));
  }
  return TakeFlag(root["ignore_eos"], request.ignores_eos);
}

}  // namespace

Result<CompletionRequest> ParseCompletion(std::string_view body, CompletionKind kind) {
  RS_ASSIGN_OR_RETURN(const json::Reader reader,
                      json::Reader::Parse(body, StatusCode::kInvalidArgument));
  const json::Value root = reader.root();
  if (!root.IsObject()) return root.Wrong("an object is needed");
  CompletionRequest request{.kind = kind};
  if (root["model"].IsKnown()) {
    RS_ASSIGN_OR_RETURN(const std::string_view model, root["model"].NeedText());
    request.model = model;
  }
  if (root["n"].IsKnown()) RS_RETURN_IF_ERROR(root["n"].NeedInteger(1, 1).status());
  RS_RETURN_IF_ERROR(kind == CompletionKind::kChat ? TakeMessages(root["messages"], request)
                                                   : TakePrompt(root["prompt"], request));
  RS_RETURN_IF_ERROR(TakeLength(root, request));
  RS_RETURN_IF_ERROR(TakeFlag(root["stream"], request.streams));
  if (root["stream_options"].IsKnown())
    RS_RETURN_IF_ERROR(TakeFlag(root["stream_options"]["include_usage"], request.tells_usage));
  return request;
}

}  // namespace rankscope::sim
