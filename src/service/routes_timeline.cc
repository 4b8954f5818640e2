// What happened when, on all ranks: tiles of where time goes, the events of a rank, sums over a
// window, a search.
#include <algorithm>

#include "base/number_set.h"
#include "json/json_text.h"
#include "service/page.h"
#include "service/parts.h"
#include "service/reply.h"
#include "service/report_parts.h"
#include "service/route.h"
#include "service/timelines.h"

namespace rankscope::service {
namespace {

using store::Run;

constexpr std::string_view kPart = "timeline";
constexpr std::size_t kMostHits = 1000;
// Of a search: a second of reading.
constexpr std::uint64_t kMostSearchedSpans = 30'000'000;
constexpr std::size_t kMostSums = 1000;

struct Asked {
  std::shared_ptr<const TimelineFile> file;
  std::int64_t version = 0;
};

Result<Asked> Open(Parts& parts, const Call& call) {
  RS_ASSIGN_OR_RETURN(const Run run, RunOf(parts, call.who, call.arguments[0]));
  RS_ASSIGN_OR_RETURN(const store::RunReport* report, ReportOf(run, call));
  const store::RunTable* part = FindPart(*report, kPart);
  if (part == nullptr) {
    return Error(StatusCode::kNotFound,
                 "report {} of run {} was made by a version without timelines: reopen and finish "
                 "the run to make another",
                 report->version, run.id);
  }
  RS_ASSIGN_OR_RETURN(const std::string path, parts.store.blobs().PathOf(part->sha256));
  RS_ASSIGN_OR_RETURN(auto file, parts.timelines.Open(path));
  return Asked{std::move(file), report->version};
}

Result<std::int64_t> Number(const Call& call, std::string_view name, std::int64_t without) {
  const std::string_view text = call.Query(name);
  if (text.empty()) return without;
  const auto number = ParseInteger(text);
  if (number) return *number;
  return Error(StatusCode::kInvalidArgument, "{} is to be a whole number, not '{}'", name, text);
}

Result<TimelineWindow> WindowOf(const Call& call, const FileIndex& index) {
  std::int64_t end = index.begin_ns;
  for (const StoredCapture& capture : index.captures) end = std::max(end, capture.end_ns);
  RS_ASSIGN_OR_RETURN(const std::int64_t from, Number(call, "from_ns", index.begin_ns));
  RS_ASSIGN_OR_RETURN(const std::int64_t to, Number(call, "to_ns", end + 1));
  return TimelineWindow{from, to};
}

// All without.
Result<std::vector<std::int64_t>> RanksOf(const Call& call, const FileIndex& index) {
  const std::string_view text = call.Query("ranks");
  if (text.empty()) return index.Ranks();
  RS_ASSIGN_OR_RETURN(const std::set<std::int64_t> ranks, ParseNumberSet(text));
  return std::vector<std::int64_t>(ranks.begin(), ranks.end());
}

// What a version of a report says never changes.
void AddCaching(http::Reply& reply, const Call& call) {
  reply.fields.emplace_back("Cache-Control", call.Query("version").empty()
                                                 ? "private, no-cache"
                                                 : "private, max-age=31536000, immutable");
}

http::Reply BinaryReply(const Call& call, std::string bytes) {
  http::Reply reply;
  reply.fields = {{"Content-Type", "application/octet-stream"}};
  AddCaching(reply, call);
  reply.body = std::move(bytes);
  return reply;
}

void AppendNames(std::string& out, const std::vector<std::string>& names) {
  out += '[';
  for (const std::string& name : names) {
    if (out.back() != '[') out += ',';
    AppendJsonString(out, name);
  }
  out += ']';
}

// What there is to ask for.
http::Reply Describe(const Asked& asked, const Call& call) {
  const FileIndex& index = asked.file->index();
  std::string json = fmt::format(
      "{{\"version\":{},\"origin_ns\":\"{}\",\"begin_ns\":{},\"base_shift\":{},\"last_shift\":{},"
      "\"tile_bins\":{},\"tile_ranks\":{},\"kinds\":",
      asked.version, index.origin_ns, index.begin_ns, index.base_shift, index.last_shift, kTileBins,
      kTileRanks);
  AppendNames(json, TimelineKinds());
  json += ",\"captures\":[";
  for (const StoredCapture& one : index.captures) {
    if (json.back() != '[') json += ',';
    json +=
        fmt::format("[{},{},{},{},{}]", one.rank, one.capture, one.begin_ns, one.end_ns, one.spans);
  }
  http::Reply reply = JsonReply(200, json + "]}");
  std::erase_if(reply.fields, [](const auto& field) { return field.first == "Cache-Control"; });
  AddCaching(reply, call);
  return reply;
}

Result<http::Reply> TileOf(const Asked& asked, const Call& call) {
  const FileIndex& index = asked.file->index();
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, index));
  RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> ranks, RanksOf(call, index));
  RS_ASSIGN_OR_RETURN(const std::int64_t width, Number(call, "width", kTileBins));
  RS_ASSIGN_OR_RETURN(
      TimelineTile tile,
      asked.file->Tile(window, static_cast<std::size_t>(std::max<std::int64_t>(0, width)), ranks));
  const bool takes_gzip =
      http::Find(call.head.fields, "accept-encoding").value_or("").find("gzip") !=
      std::string_view::npos;
  if (tile.is_gzip && !takes_gzip) {
    RS_ASSIGN_OR_RETURN(tile.bytes, UnpackGzip(tile.bytes));
    tile.is_gzip = false;
  }
  http::Reply reply = BinaryReply(call, std::move(tile.bytes));
  reply.fields.emplace_back("Vary", "Accept-Encoding");
  if (tile.is_gzip) reply.fields.emplace_back("Content-Encoding", "gzip");
  return reply;
}

Result<http::Reply> SpansOf(const Asked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::int64_t rank, Number(call, "rank", 0));
  RS_ASSIGN_OR_RETURN(const std::int64_t width, Number(call, "width", 1024));
  RS_ASSIGN_OR_RETURN(
      std::string bytes,
      asked.file->Spans(rank, window, static_cast<std::size_t>(std::max<std::int64_t>(0, width))));
  return BinaryReply(call, std::move(bytes));
}

Result<http::Reply> SumsOf(const Asked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> ranks, RanksOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const TimelineSums sums, asked.file->Sums(window, ranks));
  std::string json = "{\"parts\":{";
  for (int part = 0; part < kTimelinePartCount; ++part) {
    json +=
        fmt::format("{}\"{}_ns\":", part > 0 ? "," : "", ToString(static_cast<TimelinePart>(part)));
    AppendJsonInteger(json, sums.part_ns[static_cast<std::size_t>(part)]);
  }
  json += fmt::format("}},\"name_count\":{},\"names\":[", sums.names.size());
  for (std::size_t i = 0; i < std::min(kMostSums, sums.names.size()); ++i) {
    const TimelineSum& sum = sums.names[i];
    json += i > 0 ? ",{\"name\":" : "{\"name\":";
    AppendJsonString(json, sum.name);
    json += fmt::format(",\"kind\":\"{}\",\"role\":\"{}\",\"count\":{},\"total_ns\":",
                        TimelineKinds()[sum.kind], ToString(sum.role), sum.count);
    AppendJsonInteger(json, sum.total_ns);
    json += '}';
  }
  http::Reply reply = JsonReply(200, json + "]}");
  return reply;
}

Result<http::Reply> HitsOf(const Asked& asked, const Call& call) {
  if (call.Query("q").empty())
    return Error(StatusCode::kInvalidArgument, "q is the text to look for");
  RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> ranks, RanksOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::int64_t from, Number(call, "from_ns", INT64_MIN));
  RS_ASSIGN_OR_RETURN(const std::size_t limit, LimitOf(call.Query("limit"), 200, kMostHits));
  RS_ASSIGN_OR_RETURN(const TimelineHits found,
                      asked.file->Search(call.Query("q"), from, ranks, limit, kMostSearchedSpans));
  std::string json = fmt::format("{{\"complete\":{},\"hits\":[", found.is_complete);
  for (const TimelineHit& hit : found.hits) {
    if (json.back() != '[') json += ',';
    json += fmt::format(
        "{{\"rank\":{},\"start_ns\":{},\"duration_ns\":{},\"event\":{},\"kind\":\"{}\"", hit.rank,
        hit.span.start_ns, hit.span.duration_ns, hit.span.event, TimelineKinds()[hit.span.kind]);
    json += ",\"track\":";
    AppendJsonString(json, hit.track);
    json += ",\"name\":";
    AppendJsonString(json, hit.name);
    json += '}';
  }
  return JsonReply(200, json + "]}");
}

constexpr std::size_t kMostCollectives = 500;
// Of one answer: half a second of reading.
constexpr std::uint64_t kMostArrivalsSeen = 4'000'000;

void Append(std::string& json, const TimelineCollective& collective) {
  json += "{\"name\":";
  AppendJsonString(json, collective.name);
  json += ",\"wait_ns\":";
  AppendJsonInteger(json, collective.wait_ns());
  json += ",\"last_rank\":";
  const auto last = std::ranges::find_if(collective.arrivals, &TimelineArrival::is_last);
  json += last == collective.arrivals.end() ? "null" : fmt::format("{}", last->rank);
  json += ",\"members\":[";
  for (const TimelineArrival& one : collective.arrivals) {
    if (json.back() != '[') json += ',';
    json += fmt::format(
        "[{},{},{},{},{}]", one.rank, one.start_ns, one.duration_ns,
        one.wait_ns == TimelineArrival::kUnknownWait ? "null" : fmt::format("{}", one.wait_ns),
        one.event);
  }
  json += "]}";
}

Result<http::Reply> CollectivesOf(const Asked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::size_t limit, LimitOf(call.Query("limit"), 50, kMostCollectives));
  TimelineCollectives found;
  if (call.Query("event").empty()) {
    RS_ASSIGN_OR_RETURN(found, asked.file->Collectives(window, limit, kMostArrivalsSeen));
  } else {
    RS_ASSIGN_OR_RETURN(const std::int64_t event, Number(call, "event", 0));
    RS_ASSIGN_OR_RETURN(const std::int64_t rank, Number(call, "rank", 0));
    if (event < 0 || event > UINT32_MAX)
      return Error(StatusCode::kInvalidArgument, "event is the index of an event in its file");
    RS_ASSIGN_OR_RETURN(TimelineCollective one,
                        asked.file->CollectiveOf(rank, static_cast<std::uint32_t>(event), window));
    found.collectives.push_back(std::move(one));
  }
  std::string json = fmt::format("{{\"complete\":{},\"collectives\":[", found.is_complete);
  for (const TimelineCollective& one : found.collectives) {
    if (json.back() != '[') json += ',';
    Append(json, one);
  }
  return JsonReply(200, json + "]}");
}

Result<http::Reply> PathOf(const Asked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::int64_t width, Number(call, "width", 1024));
  RS_ASSIGN_OR_RETURN(
      const TimelinePath path,
      asked.file->Path(window, static_cast<std::size_t>(std::max<std::int64_t>(0, width))));
  std::string json = fmt::format("{{\"resolution_ns\":{},\"pieces\":[", path.resolution_ns);
  for (const TimelinePathPiece& piece : path.pieces) {
    if (json.back() != '[') json += ',';
    json +=
        fmt::format("{{\"rank\":{},\"start_ns\":{},\"duration_ns\":{},\"event\":{},\"count\":{}",
                    piece.rank, piece.start_ns, piece.duration_ns,
                    piece.event < 0 ? "null" : fmt::format("{}", piece.event), piece.count);
    json += ",\"part\":";
    AppendJsonString(json, piece.part);
    json += ",\"name\":";
    AppendJsonString(json, piece.name);
    json += '}';
  }
  return JsonReply(200, json + "]}");
}

using Answered = Result<http::Reply> (*)(const Asked&, const Call&);

template <Answered answer>
http::Reply With(Parts& parts, const Call& call) {
  const Result<Asked> asked = Open(parts, call);
  if (!asked.ok()) return ErrorReply(asked.status());
  Result<http::Reply> reply = answer(*asked, call);
  return reply.ok() ? *std::move(reply) : ErrorReply(reply.status());
}

Result<http::Reply> Timeline(const Asked& asked, const Call& call) {
  const bool is_tile = std::ranges::any_of(
      call.head.query, [](const auto& parameter) { return parameter.first != "version"; });
  if (is_tile) return TileOf(asked, call);
  return Describe(asked, call);
}

}  // namespace

std::vector<Route> TimelineRoutes() {
  const Parameter from = {"from_ns", "query", "integer",
                          "from the job's origin; the begin without"};
  const Parameter to = {"to_ns", "query", "integer", "the end without"};
  const Parameter ranks = {"ranks", "query", "string", "such as 0-127,200; all without"};
  const Parameter width = {"width", "query", "integer", "bins of a picture, up to 4096"};
  return {
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline",
       .answer = With<Timeline>,
       .summary = "without parameters what the timeline holds; else a tile of it "
                  "(docs/server.md#timelines)",
       .parameters = {kVersionParameter, from, to, ranks, width}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/spans",
       .answer = With<SpansOf>,
       .summary = "the events of a rank in a window, the shortest merged",
       .parameters =
           {kVersionParameter, {"rank", "query", "integer", "0 without"}, from, to, width}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/sums",
       .answer = With<SumsOf>,
       .summary = "time by name within a window, clipped to it; the 1000 longest",
       .parameters = {kVersionParameter, from, to, ranks}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/collectives",
       .answer = With<CollectivesOf>,
       .summary = "the collectives of a window with the longest waiting, or the one that an event "
                  "is a member of: when each rank came",
       .parameters = {kVersionParameter,
                      from,
                      to,
                      {"limit", "query", "integer", "up to 500; 50 without"},
                      {"rank", "query", "integer", "of the event; 0 without"},
                      {"event", "query", "integer", "index in its file; none without"}}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/path",
       .answer = With<PathOf>,
       .summary = "the critical path through all ranks in a window, the shortest pieces joined",
       .parameters = {kVersionParameter, from, to, width}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/search",
       .answer = With<HitsOf>,
       .summary = "events whose name has a text",
       .parameters = {kVersionParameter,
                      {"q", "query", "string", "the text, case aside"},
                      from,
                      ranks,
                      {"limit", "query", "integer", "up to 1000; 200 without"}}},
  };
}

}  // namespace rankscope::service
