#include "load/run_load.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "base/file.h"
#include "json/reader.h"
#include "load/run/scraper.h"
#include "load/run/search.h"

namespace rankscope::load {
namespace {

constexpr rlim_t kSpareFiles = 64;

// Connections are descriptors: as many as the system lets a process have.
void RaiseFileLimit(std::size_t& most_connections) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kSpareFiles) return;
  most_connections = std::min<std::size_t>(most_connections, limit.rlim_cur - kSpareFiles);
}

Status FindModel(Target& target) {
  if (target.endpoint == Endpoint::kPlain || !target.model.empty()) return OkStatus();
  const auto client = http::MakeClient(target.address, target.client);
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply,
                      client->Send({.method = "GET", .target = "/v1/models"}));
  const auto reader = json::Reader::Parse(reply.body);
  if (reply.status == 200 && reader.ok())
    target.model = reader->root()["data"].At(0)["id"].TextOr("");
  if (!target.model.empty()) return OkStatus();
  if (reply.status == 401 || reply.status == 403)
    return Error(StatusCode::kIo,
                 "{} asks who you are (status {}): --token-file names the file of a token",
                 target.address.Text(), reply.status);
  return Error(StatusCode::kNotFound,
               "{}/v1/models names no model (status {}): name it with --model, or --endpoint plain "
               "for a server that is not OpenAI's kind",
               target.address.Text(), reply.status);
}

class Run {
 public:
  Run(const LoadSpec& spec, const LoadWatch& watch, Recorder& recorder, const RecordedTrace* replay)
      : spec_(spec),
        watch_(watch),
        recorder_(recorder),
        replay_(replay),
        run_(static_cast<std::uint64_t>(
            std::chrono::system_clock::now().time_since_epoch().count())) {}

  Result<serving::LevelResult> Level(const LevelSpec& level) {
    const std::int32_t number = levels_++;
    if (watch_.begins) watch_.begins(level, number);
    std::optional<serving::LevelCapture> capture;
    bool is_begun = false;
    LevelWatch of_level = watch_.level;
    if (watch_.capturer != nullptr) {
      of_level.goes_on = [&](const LevelRecord& measured) {
        if (!is_begun) {
          const serving::LevelState state = ResultOf(measured).state;
          if (serving::IsBeyond(state)) {
            capture = {.problem = "the server does not bear this level"};
            return false;
          }
          is_begun = true;
          watch_.capturer->Begin(measured.level);
        }
        return watch_.capturer->NeedsLoad();
      };
    }
    RS_ASSIGN_OR_RETURN(const LevelRecord record,
                        RunLevel(spec_, level, number, run_, replay_, of_level, recorder_));
    if (is_begun) capture = watch_.capturer->End();
    if (capture) {
      recorder_.Add(number, *capture);
      RS_RETURN_IF_ERROR(recorder_.Flush());
    }
    is_stopped_ = is_stopped_ || record.was_stopped;
    if (watch_.recorded) watch_.recorded(record);
    serving::LevelResult result = ResultOf(record);
    result.level.capture = std::move(capture);
    if (watch_.ends) watch_.ends(result);
    return result;
  }

  Status Levels() {
    for (const LevelSpec& level : spec_.levels) {
      RS_RETURN_IF_ERROR(Level(level).status());
      if (is_stopped_) break;
    }
    return OkStatus();
  }

  Status Search() {
    RateSearch search(spec_.search_sending);
    while (!is_stopped_) {
      const auto next = search.Next();
      if (!next) break;
      RS_ASSIGN_OR_RETURN(const serving::LevelResult result, Level(*next));
      search.Tell(result);
    }
    return OkStatus();
  }

 private:
  serving::LevelResult ResultOf(const LevelRecord& record) const {
    std::vector<const serving::Request*> requests;
    for (const serving::Request& request : record.requests) requests.push_back(&request);
    return serving::ResultOf(record.level, requests, spec_.objective);
  }

  const LoadSpec& spec_;
  const LoadWatch& watch_;
  Recorder& recorder_;
  const RecordedTrace* const replay_;
  const std::uint64_t run_;
  std::int32_t levels_ = 0;
  bool is_stopped_ = false;
};

}  // namespace

Status RunLoad(LoadSpec spec, const LoadWatch& watch) {
  std::optional<RecordedTrace> replay;
  if (!spec.replay.empty()) {
    RS_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(spec.replay));
    RS_ASSIGN_OR_RETURN(replay, ParseTrace(file->text(), spec.replay));
    for (LevelSpec& level : spec.levels) {
      level.kind = serving::LoadKind::kReplay;
      if (level.sending == 0)
        level.sending =
            1 + static_cast<std::int64_t>(static_cast<double>(replay->requests.back().at) /
                                          spec.replay_speed);
    }
  }
  RaiseFileLimit(spec.most_connections);
  RS_RETURN_IF_ERROR(FindModel(spec.target));
  RS_ASSIGN_OR_RETURN(const auto recorder, Recorder::Create(spec.folder + "/load.jsonl"));
  std::optional<Scraper> scraper;
  if (spec.scrapes) scraper.emplace(spec.target, spec.folder + "/metrics.prom");
  Run run(spec, watch, *recorder, replay ? &*replay : nullptr);
  return spec.levels.empty() ? run.Search() : run.Levels();
}

}  // namespace rankscope::load
