// What happened when, on all ranks: tiles of where time goes, the events of a rank, sums over a
// window, a search.
#include <algorithm>

#include "api/timeline.h"
#include "base/gzip.h"
#include "base/number_set.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"
#include "service/runs/report_parts.h"
#include "service/runs/runs.h"
#include "service/runs/timelines.h"

namespace rankscope::service {
namespace {

using store::Run;

constexpr std::string_view kPart = "timeline";
constexpr std::size_t kMostHits = 1000;
// Of a search: a second of reading.
constexpr std::uint64_t kMostSearchedSpans = 30'000'000;
constexpr std::size_t kMostSums = 1000;
constexpr std::size_t kMostFrames = 3000;
// Of a flame graph: a second of reading.
constexpr std::uint64_t kMostCalls = 5'000'000;

struct RoutesTimelineAsked {
  std::shared_ptr<const TimelineFile> file;
  std::int64_t version = 0;
};

Result<RoutesTimelineAsked> Open(const Parts& parts, Timelines& timelines, const Call& call) {
  RS_ASSIGN_OR_RETURN(const auto run, LookAtRun(parts, call.who, call.arguments[0]));
  RS_ASSIGN_OR_RETURN(const store::RunReport* report, ReportOf(*run, call));
  const store::RunTable* part = FindPart(*report, kPart);
  if (part == nullptr && IsOfServing(*report)) {
    return Error(StatusCode::kNotFound,
                 "run {} is of a serving program: it has no ranks, and no timeline of them",
                 run->id);
  }
  if (part == nullptr) {
    return Error(StatusCode::kNotFound,
                 "report {} of run {} was made by a version without timelines: reopen and finish "
                 "the run to make another",
                 report->version, run->id);
  }
  const Result<std::string> path = parts.store.blobs().PathOf(part->sha256);
  if (!path.ok() && store::IsAway(path.status())) return path.status();
  if (!path.ok()) return Error(StatusCode::kBadData, "{}", path.status().message());
  RS_ASSIGN_OR_RETURN(auto file, timelines.Open(*path));
  return RoutesTimelineAsked{std::move(file), report->version};
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

// What there is to ask for.
http::Reply DescribeTimeline(const RoutesTimelineAsked& asked, const Call& call) {
  const FileIndex& index = asked.file->index();
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("version", asked.version);
  // Nanoseconds since 1970 are more than a double holds.
  writer.Member("origin_ns", std::to_string(index.origin_ns));
  writer.Member("begin_ns", index.begin_ns).Member("base_shift", index.base_shift);
  writer.Member("last_shift", index.last_shift).Member("tile_bins", kTileBins);
  writer.Member("tile_ranks", kTileRanks).Member("kinds", TimelineKinds());
  writer.Key("captures").BeginArray();
  for (const StoredCapture& one : index.captures) {
    writer.BeginArray().Write(one.rank).Write(one.capture).Write(one.begin_ns).Write(one.end_ns);
    writer.Write(one.spans).EndArray();
  }
  writer.EndArray().EndObject();
  http::Reply reply = JsonReply(200, std::move(json));
  std::erase_if(reply.fields, [](const auto& field) { return field.first == "Cache-Control"; });
  AddCaching(reply, call);
  return reply;
}

constexpr std::size_t kMostTileBytes = std::size_t{64} << 20;

Result<http::Reply> TileOf(const RoutesTimelineAsked& asked, const Call& call) {
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
    RS_ASSIGN_OR_RETURN(tile.bytes, UnpackGzip(tile.bytes, kMostTileBytes));
    tile.is_gzip = false;
  }
  http::Reply reply = BinaryReply(call, std::move(tile.bytes));
  reply.fields.emplace_back("Vary", "Accept-Encoding");
  if (tile.is_gzip) reply.fields.emplace_back("Content-Encoding", "gzip");
  return reply;
}

Result<http::Reply> SpansOf(const RoutesTimelineAsked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::int64_t rank, Number(call, "rank", 0));
  RS_ASSIGN_OR_RETURN(const std::int64_t width, Number(call, "width", 1024));
  RS_ASSIGN_OR_RETURN(
      std::string bytes,
      asked.file->Spans(rank, window, static_cast<std::size_t>(std::max<std::int64_t>(0, width))));
  return BinaryReply(call, std::move(bytes));
}

Result<http::Reply> SumsOf(const RoutesTimelineAsked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> ranks, RanksOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const TimelineSums sums, asked.file->Sums(window, ranks));
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("parts").BeginObject();
  for (int part = 0; part < kTimelinePartCount; ++part) {
    writer.Key(fmt::format("{}_ns", ToString(static_cast<TimelinePart>(part))));
    writer.WriteExact(sums.part_ns[static_cast<std::size_t>(part)]);
  }
  writer.EndObject().Member("name_count", sums.names.size()).Key("names").BeginArray();
  for (std::size_t i = 0; i < std::min(kMostSums, sums.names.size()); ++i) {
    const TimelineSum& sum = sums.names[i];
    writer.BeginObject().Member("name", sum.name).Member("kind", TimelineKinds()[sum.kind]);
    writer.Member("role", ToString(sum.role)).Member("count", sum.count);
    writer.Key("total_ns").WriteExact(sum.total_ns);
    writer.Key("self_ns").WriteExact(sum.self_ns).EndObject();
  }
  writer.EndArray().EndObject();
  return JsonReply(200, std::move(json));
}

Result<http::Reply> CallsOf(const RoutesTimelineAsked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> ranks, RanksOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(
      const TimelineCalls found,
      asked.file->Calls(window, ranks, call.Query("thread"), kMostFrames, kMostCalls));
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("complete", found.is_complete).Key("threads").BeginArray();
  for (const TimelineCalls::Thread& thread : found.threads) {
    writer.BeginObject().Member("name", thread.name);
    writer.Key("total_ns").WriteExact(thread.total_ns).EndObject();
  }
  writer.EndArray().Key("frames").BeginArray();
  for (const CallTree::Node& frame : found.frames) {
    writer.BeginObject().Key("parent");
    if (frame.parent < 0) {
      writer.Null();
    } else {
      writer.Write(frame.parent);
    }
    writer.Member("name", frame.is_rest ? std::string_view() : asked.file->NameOf(frame.name));
    writer.Member("kind", frame.is_rest ? std::string_view() : TimelineKinds()[frame.kind]);
    writer.Key("total_ns").WriteExact(frame.total_ns);
    writer.Key("self_ns").WriteExact(frame.self_ns).Member("count", frame.count).EndObject();
  }
  writer.EndArray().EndObject();
  return JsonReply(200, std::move(json));
}

Result<NameFilter> FilterOf(const Call& call) {
  if (call.Query("q").empty())
    return Error(StatusCode::kInvalidArgument, "q is the text to look for");
  const std::string_view match = call.Query("match");
  RS_ASSIGN_OR_RETURN(const NameMatch how, NameMatchOf(match.empty() ? "part" : match));
  return NameFilter::Make(how, call.Query("q"));
}

api::TimelineHit ShownOf(const TimelineHit& hit) {
  return {.rank = hit.rank,
          .start_ns = hit.span.start_ns,
          .duration_ns = hit.span.duration_ns,
          .event = hit.span.event,
          .kind = std::string(TimelineKinds()[hit.span.kind]),
          .track = std::string(hit.track),
          .name = std::string(hit.name)};
}

Result<http::Reply> OccurrencesOf(const RoutesTimelineAsked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const NameFilter filter, FilterOf(call));
  RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> ranks, RanksOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const TimelineOccurrences found,
                      asked.file->Occurrences(filter, ranks, kMostSearchedSpans));
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("complete", found.is_complete).Key("ranks").BeginArray();
  for (const TimelineOccurrencesOfRank& one : found.ranks) {
    writer.BeginObject().Member("rank", one.rank).Member("count", one.count);
    writer.Key("total_ns").WriteExact(one.total_ns).Member("min_ns", one.min_ns).Key("longest");
    json::FieldsOf<api::TimelineHit>().Write(ShownOf(one.longest), writer);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
  return JsonReply(200, std::move(json));
}

http::Reply HitsReply(const TimelineHits& found) {
  api::TimelineHits shown{.complete = found.is_complete, .hits = {}};
  for (const TimelineHit& hit : found.hits) shown.hits.push_back(ShownOf(hit));
  return JsonReply(200, json::ToJson(shown));
}

Result<http::Reply> EventsOf(const RoutesTimelineAsked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const std::int64_t rank, Number(call, "rank", 0));
  RS_ASSIGN_OR_RETURN(const std::int64_t capture, Number(call, "capture", 0));
  RS_ASSIGN_OR_RETURN(const std::set<std::int64_t> events, ParseNumberSet(call.Query("events")));
  if (events.size() > kMostHits) {
    return Error(StatusCode::kInvalidArgument, "{} events are asked for; {} are allowed",
                 events.size(), kMostHits);
  }
  RS_ASSIGN_OR_RETURN(const TimelineHits found, asked.file->Events(rank, capture, events));
  return HitsReply(found);
}

Result<http::Reply> HitsOf(const RoutesTimelineAsked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const NameFilter filter, FilterOf(call));
  RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> ranks, RanksOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::int64_t from, Number(call, "from_ns", INT64_MIN));
  RS_ASSIGN_OR_RETURN(const std::size_t limit, LimitOf(call.Query("limit"), 200, kMostHits));
  RS_ASSIGN_OR_RETURN(const TimelineHits found,
                      asked.file->Search(filter, from, ranks, limit, kMostSearchedSpans));
  return HitsReply(found);
}

constexpr std::size_t kMostCollectives = 500;
// Of one answer: half a second of reading.
constexpr std::uint64_t kMostArrivalsSeen = 4'000'000;

void WriteCollective(const TimelineCollective& collective, json::Writer& writer) {
  writer.BeginObject().Member("name", collective.name);
  writer.Key("wait_ns").WriteExact(collective.wait_ns()).Key("last_rank");
  const auto last = std::ranges::find_if(collective.arrivals, &TimelineArrival::is_last);
  if (last == collective.arrivals.end()) {
    writer.Null();
  } else {
    writer.Write(last->rank);
  }
  writer.Key("members").BeginArray();
  for (const TimelineArrival& one : collective.arrivals) {
    writer.BeginArray().Write(one.rank).Write(one.start_ns).Write(one.duration_ns);
    if (one.wait_ns == TimelineArrival::kUnknownWait) {
      writer.Null();
    } else {
      writer.Write(one.wait_ns);
    }
    writer.Write(one.event).EndArray();
  }
  writer.EndArray().EndObject();
}

Result<http::Reply> CollectivesOf(const RoutesTimelineAsked& asked, const Call& call) {
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
    RS_ASSIGN_OR_RETURN(std::optional<TimelineCollective> one,
                        asked.file->CollectiveOf(rank, static_cast<std::uint32_t>(event), window));
    if (one) found.collectives.push_back(*std::move(one));
  }
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("complete", found.is_complete).Key("collectives").BeginArray();
  for (const TimelineCollective& one : found.collectives) WriteCollective(one, writer);
  writer.EndArray().EndObject();
  return JsonReply(200, std::move(json));
}

Result<http::Reply> PathOf(const RoutesTimelineAsked& asked, const Call& call) {
  RS_ASSIGN_OR_RETURN(const TimelineWindow window, WindowOf(call, asked.file->index()));
  RS_ASSIGN_OR_RETURN(const std::int64_t width, Number(call, "width", 1024));
  RS_ASSIGN_OR_RETURN(
      const TimelinePath path,
      asked.file->Path(window, static_cast<std::size_t>(std::max<std::int64_t>(0, width))));
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("resolution_ns", path.resolution_ns).Key("pieces").BeginArray();
  for (const TimelinePathPiece& piece : path.pieces) {
    writer.BeginObject().Member("rank", piece.rank).Member("start_ns", piece.start_ns);
    writer.Member("duration_ns", piece.duration_ns).Key("event");
    if (piece.event < 0) {
      writer.Null();
    } else {
      writer.Write(piece.event);
    }
    writer.Member("count", piece.count).Member("part", piece.part);
    writer.Member("name", piece.name).EndObject();
  }
  writer.EndArray().EndObject();
  return JsonReply(200, std::move(json));
}

using Answered = Result<http::Reply> (*)(const RoutesTimelineAsked&, const Call&);

template <Answered answer>
http::Reply OfTimeline(const Parts& parts, Timelines& timelines, const Call& call) {
  const Result<RoutesTimelineAsked> asked = Open(parts, timelines, call);
  // Whoever asks gave no data: what is bad is what the store has.
  const auto refuse = [](const Status& status) {
    return status.code() == StatusCode::kBadData ? DamagedReply(status) : ErrorReply(status);
  };
  if (!asked.ok()) return refuse(asked.status());
  Result<http::Reply> reply = answer(*asked, call);
  return reply.ok() ? *std::move(reply) : refuse(reply.status());
}

Result<http::Reply> Timeline(const RoutesTimelineAsked& asked, const Call& call) {
  const bool is_tile = std::ranges::any_of(
      call.head.query, [](const auto& parameter) { return parameter.first != "version"; });
  if (is_tile) return TileOf(asked, call);
  return DescribeTimeline(asked, call);
}

}  // namespace

std::vector<Route> TimelineRoutes(Parts& parts, Timelines& timelines) {
  const Parameter from = {"from_ns", "query", "integer",
                          "from the job's origin; the begin without"};
  const Parameter to = {"to_ns", "query", "integer", "the end without"};
  const Parameter ranks = {"ranks", "query", "string", "such as 0-127,200; all without"};
  const Parameter text = {"q", "query", "string", "what the names are found by"};
  const Parameter match = {"match", "query", "string",
                           "part (has the text, case aside; without), whole (is the text), pattern "
                           "(a regular expression without counts and back references, case aside)"};
  const Parameter width = {"width", "query", "integer", "bins of a picture, up to 4096"};
  return {
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline",
       .answer = With(OfTimeline<Timeline>, parts, timelines),
       .summary = "without parameters what the timeline holds; else a tile of it "
                  "(docs/server.md#timelines)",
       .parameters = {kVersionParameter, from, to, ranks, width},
       .sends = {"application/json", "application/octet-stream"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/spans",
       .answer = With(OfTimeline<SpansOf>, parts, timelines),
       .summary = "the events of a rank in a window, the shortest merged",
       .parameters =
           {kVersionParameter, {"rank", "query", "integer", "0 without"}, from, to, width},
       .sends = {"application/octet-stream"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/sums",
       .answer = With(OfTimeline<SumsOf>, parts, timelines),
       .summary = "time by name within a window, clipped to it; the 1000 longest",
       .parameters = {kVersionParameter, from, to, ranks},
       .sends = {"application/json"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/calls",
       .answer = With(OfTimeline<CallsOf>, parts, timelines),
       .summary = "what threads called within a window, merged by the way to it; the 3000 longest",
       .parameters = {kVersionParameter,
                      from,
                      to,
                      ranks,
                      {"thread", "query", "string", "the one of this name; all without"}},
       .sends = {"application/json"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/collectives",
       .answer = With(OfTimeline<CollectivesOf>, parts, timelines),
       .summary = "the collectives of a window with the longest waiting, or the one that an event "
                  "is a member of, none if it is of none: when each rank came",
       .parameters = {kVersionParameter,
                      from,
                      to,
                      {"limit", "query", "integer", "up to 500; 50 without"},
                      {"rank", "query", "integer", "of the event; 0 without"},
                      {"event", "query", "integer", "index in its file; none without"}},
       .sends = {"application/json"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/path",
       .answer = With(OfTimeline<PathOf>, parts, timelines),
       .summary = "the critical path through all ranks in a window, the shortest pieces joined",
       .parameters = {kVersionParameter, from, to, width},
       .sends = {"application/json"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/search",
       .answer = With(OfTimeline<HitsOf>, parts, timelines),
       .summary = "events by their names",
       .parameters = {kVersionParameter,
                      text,
                      match,
                      from,
                      ranks,
                      {"limit", "query", "integer", "up to 1000; 200 without"}},
       .gives = &json::FieldsOf<api::TimelineHits>()},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/events",
       .answer = With(OfTimeline<EventsOf>, parts, timelines),
       .summary = "events by their indices in a file, as SQL tells them",
       .parameters = {kVersionParameter,
                      {"rank", "query", "integer", "0 without"},
                      {"capture", "query", "integer", "0 without"},
                      {"events", "query", "string", "such as 5,9-12; up to 1000"}},
       .gives = &json::FieldsOf<api::TimelineHits>()},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/timeline/occurrences",
       .answer = With(OfTimeline<OccurrencesOf>, parts, timelines),
       .summary = "what the events of some names come to on each rank: count, time, the longest",
       .parameters = {kVersionParameter, text, match, ranks},
       .sends = {"application/json"}},
  };
}

}  // namespace rankscope::service
