#include <fmt/core.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>

#include "base/text.h"
#include "serving/base/words.h"
#include "serving/inputs/json_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

struct Span {
  std::string trace, id, parent, name, replica;
  std::int64_t begin = 0, end = 0;
  bool is_client = false;
  bool is_sglang = false;
  bool has_failed = false;
  Attributes attributes;

  std::int64_t length() const { return end - begin; }
};

// Numbers as the text that they are, so that all kinds of values are looked at alike.
std::string TextOf(const json::Value& value) {
  for (const char* kind : {"stringValue", "intValue", "doubleValue", "boolValue"}) {
    const json::Value inside = value[kind];
    if (const auto text = inside.Text()) return std::string(*text);
    if (inside.IsKnown()) return inside.ToString();
  }
  return {};
}

Attributes AttributesOf(const json::Value& list) {
  Attributes attributes;
  for (const json::Value& one : list.Items())
    attributes.emplace(one["key"].TextOr(""), TextOf(one["value"]));
  return attributes;
}

std::string Any(const Attributes& attributes, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = attributes.find(name);
    if (found != attributes.end() && !found->second.empty()) return found->second;
  }
  return {};
}

Ns SecondsIn(const Attributes& attributes, std::initializer_list<std::string_view> names) {
  const auto number = ToNumber(Any(attributes, names));
  return number ? ToNs(*number, 1e9) : std::nullopt;
}

Count CountIn(const Attributes& attributes, std::initializer_list<std::string_view> names) {
  const std::string text = Any(attributes, names);
  Count count = ToInteger(text);
  if (const auto number = ToNumber(text); !count && number && *number >= 0 && *number < 1e15)
    count = static_cast<std::int64_t>(*number);
  return count && *count >= 0 ? count : std::nullopt;
}

std::optional<std::int64_t> NanosOf(const json::Value& value) {
  std::optional<std::int64_t> ns = value.Integer();
  if (const auto text = value.Text()) ns = ToInteger(*text);
  return AsMoment(ns);
}

// What SGLang's slices are, by their names (a number or more may follow).
enum class Slice : std::uint8_t { kNone, kQueue, kPrefill, kDecode, kOther };
Slice SliceOf(std::string_view name) {
  const auto is = [&](std::string_view word) { return name == word; };
  if (is("prefill_waiting") || is("decode_waiting")) return Slice::kQueue;
  if (is("prefill_forward") || is("chunked_prefill")) return Slice::kPrefill;
  if (is("decode_forward") || is("decode_loop")) return Slice::kDecode;
  if (is("tokenize") || is("dispatch") || is("request_process")) return Slice::kOther;
  return Slice::kNone;
}

// Length of what the slices cover; those of a chunk lie in the one around them.
std::int64_t Covered(std::vector<std::pair<std::int64_t, std::int64_t>> parts) {
  std::ranges::sort(parts);
  std::int64_t covered = 0, until = std::numeric_limits<std::int64_t>::min();
  for (const auto& [begin, end] : parts) {
    covered += std::max<std::int64_t>(0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return covered;
}

constexpr std::size_t kMostParents = 64;

class Spans {
 public:
  bool Take(const json::Value& root) {
    bool has_any = false;
    for (const json::Value& resource : root["resourceSpans"].Items()) {
      const Attributes about = AttributesOf(resource["resource"]["attributes"]);
      const std::string replica = Any(about, {"service.instance.id", "k8s.pod.name", "host.name"});
      const bool is_sglang = Contains(Any(about, {"service.name"}), "sglang");
      for (const char* scopes : {"scopeSpans", "instrumentationLibrarySpans"}) {
        for (const json::Value& scope : resource[scopes].Items()) {
          for (const json::Value& one : scope["spans"].Items()) {
            has_any = true;
            TakeSpan(one, replica, is_sglang);
          }
        }
      }
    }
    return has_any;
  }

  // Of the collection, whose requests begin with this file's at `first`, once they are made.
  void TellPaths(std::size_t first, SpanPaths& paths) const {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const Span& span = spans_[i];
      if (SliceOf(span.name) == Slice::kNone && !IsEngine(span))
        paths.AddService(span.trace, span.id, span.parent, span.length());
    }
    for (std::size_t i = 0; i < span_of_.size(); ++i) {
      const std::size_t top = Topmost(span_of_[i]);
      if (spans_[top].parent.empty()) continue;
      const auto under = requests_under_.find(top);
      paths.AddRequest({.request = first + i,
                        .trace = spans_[top].trace,
                        .span = spans_[top].parent,
                        .length_ns = spans_[span_of_[i]].length(),
                        .has_others = under != requests_under_.end() && under->second > 1});
    }
  }

  std::vector<Request> Requests() {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      // Span ids are unique within their trace.
      by_id_.emplace(spans_[i].trace + "/" + spans_[i].id, i);
    }
    std::vector<Request> requests;
    boost::unordered_flat_map<std::size_t, std::vector<std::size_t>> slices;  // of each request
    std::vector<std::size_t> roots;
    std::vector<std::size_t> engines;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      if (SliceOf(spans_[i].name) != Slice::kNone) {
        slices[RequestOf(i)].push_back(i);
      } else if (IsEngine(spans_[i])) {
        engines.push_back(i);
      }
    }
    roots.reserve(slices.size());
    for (const auto& entry : slices) roots.push_back(entry.first);
    std::ranges::sort(roots);
    std::erase_if(engines, [&](std::size_t i) { return std::ranges::binary_search(roots, i); });
    span_of_ = roots;
    span_of_.insert(span_of_.end(), engines.begin(), engines.end());
    for (const std::size_t i : span_of_) ++requests_under_[Topmost(i)];
    requests.reserve(span_of_.size());
    for (const std::size_t root : roots) requests.push_back(OfSlices(root, slices[root]));
    for (const std::size_t i : engines) requests.push_back(OfEngine(i));
    if (requests.empty()) AddGenAi(requests);
    return requests;
  }

  std::int64_t bad() const { return bad_; }
  std::int64_t reversed() const { return reversed_; }
  std::size_t size() const { return spans_.size(); }

 private:
  void TakeSpan(const json::Value& one, const std::string& replica, bool is_sglang) {
    const auto begin = NanosOf(one["startTimeUnixNano"]);
    const auto end = NanosOf(one["endTimeUnixNano"]);
    if (!begin || !end || !AsDuration(*end - *begin)) {
      ++(begin && end && *end < *begin ? reversed_ : bad_);
      return;
    }
    Span span{.trace = one["traceId"].TextOr(""),
              .id = one["spanId"].TextOr(""),
              .parent = one["parentSpanId"].TextOr(""),
              .name = one["name"].TextOr(""),
              .replica = replica,
              .begin = *begin,
              .end = *end,
              .is_sglang = is_sglang,
              .attributes = AttributesOf(one["attributes"])};
    const json::Value kind = one["kind"];
    span.is_client = kind.IntegerOr(0) == 3 || kind.TextOr("") == "SPAN_KIND_CLIENT";
    const json::Value code = one["status"]["code"];
    span.has_failed = code.IntegerOr(0) == 2 || code.TextOr("") == "STATUS_CODE_ERROR";
    spans_.push_back(std::move(span));
  }

  static bool IsEngine(const Span& span) {
    return span.name == "llm_request" ||
           !Any(span.attributes, {"gen_ai.latency.e2e", "gen_ai.latency.time_in_queue"}).empty();
  }

  std::optional<std::size_t> ParentOf(std::size_t i) const {
    if (spans_[i].parent.empty()) return std::nullopt;
    const auto found = by_id_.find(spans_[i].trace + "/" + spans_[i].parent);
    return found == by_id_.end() || found->second == i ? std::nullopt
                                                       : std::optional(found->second);
  }

  std::size_t Topmost(std::size_t i) const {
    for (std::size_t step = 0; step < kMostParents; ++step) {
      const auto parent = ParentOf(i);
      if (!parent) break;
      i = *parent;
    }
    return i;
  }

  // The span of the whole request that a slice belongs to.
  std::size_t RequestOf(std::size_t i) const {
    for (std::size_t step = 0; step < kMostParents; ++step) {
      const Span& span = spans_[i];
      if (SliceOf(span.name) == Slice::kNone &&
          (!Any(span.attributes, {"rid", "gen_ai.request.id"}).empty() ||
           span.name.starts_with("Req")))
        return i;
      const auto parent = ParentOf(i);
      if (!parent) break;
      i = *parent;
    }
    return i;
  }

  Request Begin(std::size_t i) const {
    const Span& span = spans_[i];
    Request request;
    request.id = Any(span.attributes, {"gen_ai.request.id", "rid", "gen_ai.response.id"});
    request.trace_id = span.trace;
    request.model = Any(span.attributes, {"gen_ai.response.model", "gen_ai.request.model"});
    request.replica = span.replica;
    request.arrival = span.begin;
    request.e2e = span.length();
    request.prompt_tokens =
        CountIn(span.attributes, {"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"});
    request.output_tokens =
        CountIn(span.attributes, {"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"});
    request.cached_tokens = CountIn(
        span.attributes, {"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cached_tokens"});
    if (span.has_failed) request.outcome = Outcome::kFailed;
    const std::size_t top = Topmost(i);
    const auto under = requests_under_.find(top);
    // A caller that made several requests waited for all of them.
    if (top != i && under != requests_under_.end() && under->second == 1 &&
        spans_[top].length() >= span.length())
      request.around = spans_[top].length() - span.length();
    return request;
  }

  Request OfEngine(std::size_t i) const {
    const Span& span = spans_[i];
    Request request = Begin(i);
    const auto seconds = [&](std::string_view name) { return SecondsIn(span.attributes, {name}); };
    if (const Ns e2e = seconds("gen_ai.latency.e2e")) request.e2e = e2e;
    request.ttft = seconds("gen_ai.latency.time_to_first_token");
    request.queue = seconds("gen_ai.latency.time_in_queue");
    request.prefill = seconds("gen_ai.latency.time_in_model_prefill");
    request.decode = seconds("gen_ai.latency.time_in_model_decode");
    // Its time in prefill runs from the dispatch and contains the queue.
    if (span.is_sglang && request.prefill && request.queue)
      request.prefill = AsDuration(*request.prefill - *request.queue);
    const Ns inference = seconds("gen_ai.latency.time_in_model_inference");
    if (inference && request.prefill && !request.decode && *inference >= *request.prefill)
      request.decode = *inference - *request.prefill;
    return request;
  }

  Request OfSlices(std::size_t root, const std::vector<std::size_t>& slices) const {
    Request request = Begin(root);
    std::vector<std::pair<std::int64_t, std::int64_t>> parts[3];
    std::int64_t begin = spans_[root].begin, end = spans_[root].end;
    for (const std::size_t i : slices) {
      const Span& span = spans_[i];
      begin = std::min(begin, span.begin);
      end = std::max(end, span.end);
      const Slice slice = SliceOf(span.name);
      if (slice == Slice::kOther) continue;
      parts[static_cast<int>(slice) - 1].emplace_back(span.begin, span.end);
    }
    // Ids of another request that lie years away are none of this one.
    if (!AsDuration(end - begin)) return request;
    request.arrival = begin;
    request.e2e = end - begin;
    if (!parts[1].empty()) {
      request.queue = Covered(parts[0]);
      request.prefill = Covered(parts[1]);
      std::int64_t first = 0;
      for (const auto& part : parts[1]) first = std::max(first, part.second);
      request.ttft = first - begin;
    }
    if (!parts[2].empty()) request.decode = Covered(parts[2]);
    return request;
  }

  // Spans of the GenAI conventions, where no engine says more.
  void AddGenAi(std::vector<Request>& requests) const {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const Span& span = spans_[i];
      if (Any(span.attributes, {"gen_ai.operation.name", "gen_ai.request.model", "gen_ai.system",
                                "gen_ai.provider.name"})
              .empty())
        continue;
      Request request = Begin(i);
      request.side = span.is_client ? Side::kClient : Side::kServer;
      request.ttft = SecondsIn(span.attributes, {"gen_ai.server.time_to_first_token",
                                                 "gen_ai.response.time_to_first_chunk",
                                                 "gen_ai.client.operation.time_to_first_chunk"});
      requests.push_back(std::move(request));
    }
  }

  std::vector<Span> spans_;
  boost::unordered_flat_map<std::string, std::size_t> by_id_;
  std::vector<std::size_t> span_of_;  // of each request of an engine
  boost::unordered_flat_map<std::size_t, std::size_t> requests_under_;  // by the outermost span
  std::int64_t bad_ = 0;       // without a time that can be
  std::int64_t reversed_ = 0;  // that end before they begin
};

}  // namespace

Status ReadOtlp(const InputFile& file, Collection& to) {
  Spans spans;
  RS_RETURN_IF_ERROR(ForEachDocument(file, to, "OTLP spans",
                                     [&](const json::Value& root) { return spans.Take(root); }));
  std::vector<Request> requests = spans.Requests();
  if (requests.empty() && spans.size() == 0 && spans.reversed() > 0)
    return Error(StatusCode::kBadData,
                 "{}: {} spans, {} of which end before they begin; are startTimeUnixNano and "
                 "endTimeUnixNano of one clock?",
                 file.path, spans.reversed() + spans.bad(),
                 spans.bad() == 0 ? "all" : fmt::format("{}", spans.reversed()));
  if (requests.empty() && spans.size() == 0 && spans.bad() > 0)
    return Error(
        StatusCode::kBadData,
        "{}: {} spans, none with a time that can be: startTimeUnixNano and endTimeUnixNano "
        "are ns since 1970",
        file.path, spans.bad());
  const std::uint32_t source = to.AddSource(file, std::string(kSpansFormat));
  to.Count(source, static_cast<std::int64_t>(requests.size()));
  if (spans.bad() > 0)
    to.Note(fmt::format("{}: {} spans have no time that can be", file.path, spans.bad()));
  if (spans.reversed() > 0)
    to.Note(fmt::format("{}: {} spans end before they begin", file.path, spans.reversed()));
  if (requests.empty())
    to.Note(fmt::format(
        "{}: {} spans, none of them a request of vLLM (llm_request), SGLang or the GenAI "
        "conventions: they count only around requests of other files",
        file.path, spans.size()));
  spans.TellPaths(to.data.requests.size(), to.span_paths);
  for (Request& request : requests) {
    request.source = source;
    to.data.requests.push_back(std::move(request));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
