#include "formats/kineto/rewrite.h"

#include <memory>

#include "base/file.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/tokens/pieces.h"
#include "formats/kineto/tokens/splitter.h"
#include "formats/kineto/writer_sink.h"

namespace rankscope::kineto {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// Where the value of an event's own member begins; npos when it has none. The text is an object.
std::size_t FindMember(std::string_view event, std::string_view key) {
  int depth = 0;
  for (std::size_t at = 0; at < event.size(); ++at) {
    const char c = event[at];
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (c != '"') continue;
    const std::size_t begin = at + 1;
    for (++at; at < event.size() && event[at] != '"'; ++at) at += event[at] == '\\';
    if (depth != 1 || at >= event.size() || event.substr(begin, at - begin) != key) continue;
    const std::size_t colon = event.find_first_not_of(kSpaces, at + 1);
    if (colon == std::string_view::npos || event[colon] != ':') continue;
    return event.find_first_not_of(kSpaces, colon + 1);
  }
  return std::string_view::npos;
}

// The event with members put in front of its args.
void AppendWithArgs(std::string_view event, std::string_view members, std::string& out) {
  const std::size_t args = FindMember(event, "args");
  const bool has_object = args != std::string_view::npos && event[args] == '{';
  if (args != std::string_view::npos && !has_object) {
    out.append(event);
    return;
  }
  const std::size_t at = has_object ? args + 1 : 1;
  const std::size_t next = event.find_first_not_of(kSpaces, at);
  const bool is_empty = next != std::string_view::npos && event[next] == '}';
  out.append(event.substr(0, at));
  if (!has_object) out += "\"args\":{";
  out.append(members);
  if (!has_object) out += '}';
  if (!is_empty) out += ',';
  out.append(event.substr(at));
}

// What surrounds the list of events.
Result<std::string> HeadOf(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path));
  EventSplitter splitter(*source);
  Chunk chunk;
  while (splitter.Next(chunk)) {
  }
  if (!splitter.top_level().saw_events())
    return Error(StatusCode::kBadData, "{} is not a trace: it has no list traceEvents", path);
  std::string head = "{\n";
  for (const auto& [key, value] : splitter.top_level().values())
    head += "  \"" + key + "\": " + value + ",\n";
  return head + "  \"traceEvents\": [\n";
}

class Copy {
 public:
  Copy(const TraceEdit& edit, WriterSink& sink) : edit_(edit), sink_(sink) {}

  Status Add(const Chunk& chunk) {
    out_.clear();
    ForEachPiece(chunk, [&](const Piece& piece) {
      if (piece.kind == Piece::Kind::kObject) Event(piece.text);
      next_ += piece.count;
    });
    return sink_.Write(out_);
  }

  bool is_empty() const { return is_empty_; }

 private:
  void Event(std::string_view text) {
    const auto event = static_cast<std::uint32_t>(next_);
    if (edit_.keeps && !edit_.keeps(event, text)) return;
    if (!is_empty_) out_ += ",\n";
    is_empty_ = false;
    const std::string_view args = edit_.args ? edit_.args(event, text) : std::string_view();
    if (args.empty()) {
      out_ += text;
    } else {
      AppendWithArgs(text, args, out_);
    }
  }

  const TraceEdit& edit_;
  WriterSink& sink_;
  std::string out_;
  std::uint64_t next_ = 0;
  bool is_empty_ = true;
};

}  // namespace

std::string_view MemberOf(std::string_view event, std::string_view key) {
  const std::size_t begin = FindMember(event, key);
  if (begin == std::string_view::npos) return {};
  if (event[begin] == '{' || event[begin] == '[') return {};
  std::size_t end = begin;
  if (event[begin] == '"') {
    for (++end; end < event.size() && event[end] != '"'; ++end) end += event[end] == '\\';
    return end < event.size() ? event.substr(begin, end + 1 - begin) : std::string_view();
  }
  end = event.find_first_of(",} \t\r\n", begin);
  return event.substr(begin, end - begin);
}

Status RewriteTrace(const std::string& from, const std::string& to, const TraceEdit& edit) {
  RS_ASSIGN_OR_RETURN(const std::string head, HeadOf(from));
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(from));
  RS_ASSIGN_OR_RETURN(const auto sink, WriterSink::Create(to));
  RS_RETURN_IF_ERROR(sink->Write(head));
  EventSplitter splitter(*source);
  Copy copy(edit, *sink);
  Chunk chunk;
  while (splitter.Next(chunk)) RS_RETURN_IF_ERROR(copy.Add(chunk));
  if (edit.append) {
    std::string_view separator = copy.is_empty() ? "" : ",\n";
    const Status appended = edit.append([&](std::string_view events) {
      RS_RETURN_IF_ERROR(sink->Write(separator));
      separator = ",\n";
      return sink->Write(events);
    });
    RS_RETURN_IF_ERROR(appended);
  }
  RS_RETURN_IF_ERROR(sink->Write("\n  ]\n}\n"));
  return sink->Finish();
}

}  // namespace rankscope::kineto
