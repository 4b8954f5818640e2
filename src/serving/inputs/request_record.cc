#include <fmt/core.h>

#include <algorithm>

#include "serving/base/words.h"
#include "serving/inputs/json_lines.h"
#include "serving/inputs/readers.h"
#include "serving/inputs/request_line.h"

namespace rankscope::serving {
namespace {

// Moments of the file's clock as moments since 1970.
struct Clock {
  std::int64_t monotonic = 0, wall = 0;

  Ns At(Ns moment) const { return moment ? AsMoment(wall + (*moment - monotonic)) : std::nullopt; }
};

Ns Between(Ns begin, Ns end) { return begin && end ? Ns(*end - *begin) : std::nullopt; }

Ns FirstOf(std::initializer_list<Ns> moments) {
  for (const Ns& moment : moments)
    if (moment) return moment;
  return std::nullopt;
}

// Each moment that is known is no earlier than those before it.
bool IsInOrder(const RequestLine& line) {
  std::int64_t last = 0;
  for (const Ns& moment : {line.arrival, line.dequeue, line.begin, line.end, line.sent}) {
    if (!moment) continue;
    if (*moment < last) return false;
    last = *moment;
  }
  return true;
}

Outcome OutcomeOf(const RequestLine& line) {
  if (line.status == ToString(Outcome::kFailed)) return Outcome::kFailed;
  if (line.status == ToString(Outcome::kCancelled)) return Outcome::kCancelled;
  return Outcome::kDone;
}

class RequestRecordReading {
 public:
  // False: the line is nothing of such a file, or contradicts itself.
  bool Take(const json::Value& line) {
    if (line["rankscope_requests"].IsKnown()) return TakeHeader(line);
    if (!has_header_) return false;
    if (line["sample"].IsKnown()) return TakeSample(line);
    return TakeRequest(line);
  }

  // What a line was lost by: of this file.
  std::int64_t dropped() const {
    return std::max<std::int64_t>(0, last_dropped_ - header_.dropped);
  }
  bool has_header() const { return has_header_; }

  std::vector<Request> requests;
  std::vector<Load> loads;

 private:
  bool TakeHeader(const json::Value& line) {
    RecorderHeader header;
    if (!json::FieldsOf<RecorderHeader>().Read(line, header).ok()) return false;
    if (header.unit != "ns" || !header.monotonic || !header.wall) return false;
    header_ = std::move(header);
    last_dropped_ = header_.dropped;
    clock_ = {.monotonic = *header_.monotonic, .wall = *header_.wall};
    replica_ = fmt::format("{}{}{} {}", header_.service, header_.service.empty() ? "" : " ",
                           header_.host, header_.pid);
    has_header_ = true;
    return true;
  }

  bool TakeSample(const json::Value& line) {
    SampleLine sample;
    if (!json::FieldsOf<SampleLine>().Read(line, sample).ok() || !sample.sample) return false;
    last_dropped_ = std::max(last_dropped_, sample.dropped);
    const auto count = [](const Count& value) {
      return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    };
    loads.push_back({.replica = replica_,
                     .is_named = true,
                     .time = clock_.At(sample.sample),
                     .running = count(sample.running),
                     .waiting = count(sample.queued),
                     .sending = count(sample.sending)});
    return true;
  }

  bool TakeRequest(const json::Value& json) {
    RequestLine line;
    if (!json::FieldsOf<RequestLine>().Read(json, line).ok()) return false;
    const Ns first = FirstOf({line.arrival, line.seen, line.dequeue, line.begin});
    if (!first || !IsInOrder(line)) return false;
    Request request;
    request.side = Side::kServer;
    request.outcome = OutcomeOf(line);
    request.id = std::move(line.id);
    request.method = std::move(line.method);
    request.replica = replica_;
    request.arrival = clock_.At(first);
    request.e2e = Between(line.arrival, line.sent);
    request.queue = Between(line.arrival, line.dequeue ? line.dequeue : line.begin);
    request.read = Between(line.dequeue, line.begin);
    request.handler = Between(line.begin, line.end);
    request.send = Between(line.end, line.sent);
    request.lock = line.lock_wait;
    request.held = line.lock_held;
    request.lock_name = std::move(line.lock);
    request.batch = line.batch;
    request.batch_size = line.batch_size;
    request.thread = line.thread;
    request.connection = line.connection;
    if (request.outcome == Outcome::kFailed)
      request.problem = line.code == 0 ? "failed" : fmt::format("code {}", line.code);
    requests.push_back(std::move(request));
    return true;
  }

  RecorderHeader header_;
  Clock clock_;
  std::string replica_;
  std::int64_t last_dropped_ = 0;
  bool has_header_ = false;
};

}  // namespace

Status ReadRequestRecord(const InputFile& file, Collection& to) {
  RequestRecordReading reading;
  const auto take = [&](const json::Value& line) { return reading.Take(line); };
  RS_RETURN_IF_ERROR(ForEachDocument(file, to, "requests of a service", take));
  if (!reading.has_header())
    return Error(StatusCode::kBadData,
                 "{}: requests of a service: the first line is no header with unit, monotonic and "
                 "wall; take the file as the recorder wrote it",
                 file.path);
  const std::uint32_t source = to.AddSource(file, "requests of a service");
  to.Count(source, static_cast<std::int64_t>(reading.requests.size()));
  if (reading.dropped() > 0)
    to.Note(
        fmt::format("{}: {} requests were not recorded: the recorder's ring or its slots were "
                    "full, or the disk; give it more of them",
                    file.path, reading.dropped()));
  for (Request& request : reading.requests) {
    request.source = source;
    to.data.requests.push_back(std::move(request));
  }
  for (Load& load : reading.loads) {
    load.source = source;
    to.data.loads.push_back(std::move(load));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
