#include "sim/server/answer_text.h"

#include "json/writer.h"
#include "sim/model/jitter.h"
#include "sim/server/token_text.h"

namespace rankscope::sim {
namespace {

void BeginAnswer(json::Writer& writer, const AnswerFacts& facts, std::string_view object) {
  writer.BeginObject()
      .Member("id", facts.id)
      .Member("object", object)
      .Member("created", facts.created_s)
      .Member("model", facts.model)
      .Key("choices")
      .BeginArray();
}

void WriteUsage(json::Writer& writer, const RequestRecord& record) {
  writer.Key("usage")
      .BeginObject()
      .Member("prompt_tokens", record.prompt_tokens)
      .Member("total_tokens", record.prompt_tokens + record.output_tokens)
      .Member("completion_tokens", record.output_tokens)
      .Key("prompt_tokens_details")
      .BeginObject()
      .Member("cached_tokens", record.cached_tokens)
      .EndObject()
      .EndObject();
}

void WriteReason(json::Writer& writer, const AnswerFacts& facts, bool is_last) {
  writer.TextMember("finish_reason", !is_last ? "" : facts.ends_by_itself ? "stop" : "length");
}

template <typename Write>
void AddEvent(std::string& events, Write write) {
  events += "data: ";
  json::Writer writer(events);
  write(writer);
  events += "\n\n";
}

std::string_view ChunkObject(const AnswerFacts& facts) {
  return facts.kind == CompletionKind::kChat ? "chat.completion.chunk" : "text_completion";
}

}  // namespace

void AnswerText::AddToken(std::string& events) {
  const bool is_first = tokens_ == 0;
  unsent_ += WordOf(facts_.words_key + static_cast<std::uint64_t>(tokens_));
  ++unsent_tokens_;
  const bool is_last = ++tokens_ == facts_.output_tokens;
  if (is_first && facts_.kind == CompletionKind::kChat) {
    AddEvent(events, [&](json::Writer& writer) {
      BeginAnswer(writer, facts_, ChunkObject(facts_));
      writer.BeginObject().Member("index", 0).Key("delta").BeginObject();
      writer.Member("role", "assistant").Member("content", "").EndObject();
      writer.Key("finish_reason").Null().EndObject().EndArray().EndObject();
    });
  }
  if (!is_first && !is_last && unsent_tokens_ < facts_.chunk_tokens) return;
  AddChunk(events, unsent_, is_last);
  unsent_.clear();
  unsent_tokens_ = 0;
}

void AnswerText::AddChunk(std::string& events, std::string_view text, bool is_last) const {
  AddEvent(events, [&](json::Writer& writer) {
    BeginAnswer(writer, facts_, ChunkObject(facts_));
    writer.BeginObject().Member("index", 0);
    if (facts_.kind == CompletionKind::kChat) {
      writer.Key("delta").BeginObject().Member("content", text).EndObject();
    } else {
      writer.Member("text", text);
    }
    WriteReason(writer, facts_, is_last);
    writer.EndObject().EndArray().EndObject();
  });
}

void AnswerText::End(const RequestRecord& record, std::string& events) const {
  if (facts_.tells_usage) {
    AddEvent(events, [&](json::Writer& writer) {
      BeginAnswer(writer, facts_, ChunkObject(facts_));
      writer.EndArray();
      WriteUsage(writer, record);
      writer.EndObject();
    });
  }
  events += "data: [DONE]\n\n";
}

std::string AnswerText::Whole(const RequestRecord& record) const {
  std::string text;
  for (std::int64_t i = 0; i < record.output_tokens; ++i)
    text += WordOf(facts_.words_key + static_cast<std::uint64_t>(i));
  std::string json;
  json::Writer writer(json);
  const bool is_chat = facts_.kind == CompletionKind::kChat;
  BeginAnswer(writer, facts_, is_chat ? "chat.completion" : "text_completion");
  writer.BeginObject().Member("index", 0);
  if (is_chat) {
    writer.Key("message").BeginObject().Member("role", "assistant");
    writer.Member("content", text).EndObject();
  } else {
    writer.Member("text", text);
  }
  WriteReason(writer, facts_, true);
  writer.EndObject().EndArray();
  WriteUsage(writer, record);
  writer.EndObject();
  return json;
}

}  // namespace rankscope::sim
