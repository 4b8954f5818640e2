#include "load/requests/body.h"

#include <algorithm>

#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::load {
namespace {

void WriteChat(json::Writer& writer, std::string_view prompt, const Conversation& before) {
  writer.Key("messages").BeginArray();
  for (std::size_t turn = 0; turn < before.size(); ++turn) {
    writer.BeginObject()
        .Member("role", turn % 2 == 0 ? "user" : "assistant")
        .Member("content", before[turn])
        .EndObject();
  }
  writer.BeginObject().Member("role", "user").Member("content", prompt).EndObject().EndArray();
}

std::string WholeText(std::string_view prompt, const Conversation& before) {
  std::string text;
  for (const std::string& turn : before) text += turn + '\n';
  return text += prompt;
}

// JSON, unless the user says otherwise (--header).
void AddContentType(const Target& target, http::LoopRequest& request) {
  constexpr std::string_view kName = "Content-Type";
  const bool is_told = std::ranges::any_of(target.client.fields, [&](const auto& field) {
    return std::ranges::equal(field.first, kName,
                              [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  });
  if (!is_told) request.fields.emplace_back(kName, "application/json");
}

}  // namespace

http::LoopRequest RequestFor(const Target& target, const std::string& id, std::string_view prompt,
                             const Conversation& before, std::int32_t output_tokens) {
  http::LoopRequest request;
  request.fields.emplace_back("X-Request-Id", id);
  if (target.endpoint == Endpoint::kPlain) {
    request.method = target.method;
    request.target = target.path.empty() ? "/" : target.path;
    request.body = target.body;
    if (!request.body.empty()) AddContentType(target, request);
    return request;
  }
  const bool is_chat = target.endpoint == Endpoint::kChat;
  request.target = !target.path.empty() ? target.path
                   : is_chat            ? "/v1/chat/completions"
                                        : "/v1/completions";
  AddContentType(target, request);
  json::Writer writer(request.body);
  writer.BeginObject().Member("model", target.model);
  if (is_chat) {
    WriteChat(writer, prompt, before);
  } else {
    writer.Member("prompt", WholeText(prompt, before));
  }
  writer.Member("max_tokens", output_tokens).Member("stream", target.is_streamed);
  if (target.forces_length) writer.Member("ignore_eos", true);
  if (target.is_streamed)
    writer.Key("stream_options").BeginObject().Member("include_usage", true).EndObject();
  if (!target.extra.empty()) {
    const auto reader = json::Reader::Parse(target.extra);
    if (reader.ok()) {
      for (const json::Member& member : reader->root().Members())
        writer.Key(member.name).Raw(member.value.ToString());
    }
  }
  writer.EndObject();
  return request;
}

Status CheckExtra(std::string_view extra) {
  if (extra.empty()) return OkStatus();
  const auto reader = json::Reader::Parse(extra, StatusCode::kInvalidArgument);
  if (reader.ok() && reader->root().IsObject()) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "--extra: '{}' is no JSON object: give members such as {{\"temperature\": 0}}",
               extra);
}

}  // namespace rankscope::load
