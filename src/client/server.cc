#include "client/server.h"

#include <fmt/core.h>

#include <cstdlib>
#include <utility>

#include "client/json_fields.h"
#include "client/server_error.h"
#include "http/url.h"
#include "table/json_text.h"

namespace rankscope::client {
namespace {

namespace dom = simdjson::dom;
using capture::CaptureRequest;
using capture::Phase;
using store::RunState;

constexpr RunState kRunStates[] = {RunState::kUploading, RunState::kQueued, RunState::kAnalysing,
                                   RunState::kReady, RunState::kFailed};
constexpr Phase kPhases[] = {Phase::kAsking, Phase::kRecording, Phase::kSnapshots, Phase::kSending,
                             Phase::kDone,   Phase::kFailed,    Phase::kCancelled};

template <typename T, std::size_t N>
std::optional<T> Named(const T (&all)[N], std::string_view name) {
  for (const T one : all) {
    if (ToString(one) == name) return one;
  }
  return std::nullopt;
}

std::string RunPath(const std::string& run) { return "/api/v1/runs/" + run; }
std::string FilePath(const std::string& run, const std::string& file) {
  return RunPath(run) + "/files/" + http::PercentEncoded(file, true);
}
std::string CapturePath(const std::string& id) { return "/api/v1/captures/" + id; }

std::string RunJson(const store::Run& run) {
  std::string json = "{";
  const auto add = [&json](std::string_view name, const std::string& text) {
    if (text.empty()) return;
    if (json.size() > 1) json += ',';
    AppendKey(json, name);
    AppendJsonString(json, text);
  };
  add("name", run.name);
  add("user", run.user);
  add("team", run.team);
  add("model", run.model);
  add("product", run.product);
  add("framework", run.framework);
  add("hardware", run.hardware);
  json += json.size() > 1 ? ",\"tags\":{" : "\"tags\":{";
  for (const auto& [name, value] : run.tags) {
    if (json.back() != '{') json += ',';
    AppendKey(json, name);
    AppendJsonString(json, value);
  }
  return json + "}}";
}

std::string RequestJson(const CaptureRequest& request) {
  std::string json = "{\"name\":";
  AppendJsonString(json, request.name);
  json += ",\"job\":";
  AppendJsonString(json, request.job);
  json += ",\"folder\":";
  AppendJsonString(json, request.folder);
  if (request.steps > 0) json += fmt::format(",\"steps\":{}", request.steps);
  json += fmt::format(
      ",\"round_up\":{},\"duration_ms\":{},\"start_in_ms\":{},\"most_per_host\":{},\"wait_ms\":{},"
      "\"shapes\":{},\"stacks\":{},\"memory\":{},\"cpu\":{},\"snapshot_ms\":{},\"pids\":[",
      request.round_up, request.duration_ms, request.start_in_ms, request.most_per_host,
      request.wait_ms, request.shapes, request.stacks, request.memory, request.cpu,
      request.snapshot_ms);
  for (const std::int64_t pid : request.pids)
    json += fmt::format("{}{}", json.back() == '[' ? "" : ",", pid);
  return json + "]}";
}

std::uint64_t OffsetOf(const http::ClientReply& reply) {
  const std::string text(http::Find(reply.fields, "upload-offset").value_or("0"));
  return std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace

Result<Server> Server::Connect(const ServerAccess& access) {
  RS_ASSIGN_OR_RETURN(const http::Address address, http::ParseAddress(access.url));
  http::ClientOptions options{.ca_file = access.ca_file,
                              .certificate_file = access.certificate_file,
                              .key_file = access.key_file};
  if (!access.token.empty()) options.fields.emplace_back("Authorization", "Bearer " + access.token);
  return Server(http::MakeClient(address, options), address.Text());
}

Server::Server(std::unique_ptr<http::Client> http, std::string url)
    : http_(std::move(http)), url_(std::move(url)) {}

void Server::BePatient(Wait& wait, Patience patience) {
  http_ = MakePatientClient(std::move(http_), wait, std::move(patience));
}

std::string Server::PageOf(std::string_view run) const {
  return fmt::format("{}/runs/{}", url_, run);
}

Result<RunStatus> Server::MakeRun(const store::Run& run, std::string_view key) {
  http::ClientRequest request{.method = "POST", .target = "/api/v1/runs"};
  if (!key.empty()) request.fields.emplace_back("Idempotency-Key", key);
  const std::string json = RunJson(run);
  request.text = json;
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask(std::move(request)));
  return ReadRun(reply);
}

Result<RunStatus> Server::Run(const std::string& id) {
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", RunPath(id)));
  return ReadRun(reply);
}

Result<std::vector<store::RunFile>> Server::Files(const std::string& run) {
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", RunPath(run) + "/files"));
  dom::parser parser;
  dom::array listed;
  if (parser.parse(reply.body)["files"].get(listed)) return NotOurs();
  std::vector<store::RunFile> files;
  for (const dom::element one : listed)
    files.push_back({TextOf(one, "name"), TextOf(one, "sha256"),
                     static_cast<std::uint64_t>(NumberOf(one, "bytes", 0))});
  return files;
}

Status Server::FinishRun(const std::string& run) {
  return Ask("POST", RunPath(run) + "/finish").status();
}

Status Server::RemoveRun(const std::string& run) { return Ask("DELETE", RunPath(run)).status(); }

Result<StoredFile> Server::Stored(const std::string& run, const std::string& file) {
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("HEAD", FilePath(run, file)));
  return StoredFile{.bytes = OffsetOf(reply),
                    .is_complete = http::Find(reply.fields, "upload-complete") == "?1"};
}

Result<SentPart> Server::SendPart(const std::string& run, const std::string& file,
                                  const FileRange& part,
                                  const std::function<bool(std::uint64_t sent)>& progress) {
  const Result<http::ClientReply> reply = http_->Send(
      {.method = "PATCH",
       .target = FilePath(run, file),
       .fields = {{"Upload-Offset", std::to_string(part.offset)},
                  {"Upload-Complete", part.is_last ? "?1" : "?0"}},
       .file = {.path = part.path, .offset = part.offset, .bytes = part.bytes, .keep = nullptr},
       .progress = progress});
  if (MayPass(reply) || (reply.ok() && reply->status == 409)) return SentPart{};
  if (!reply.ok()) return reply.status();
  if (reply->status >= 300) return ErrorOf(*reply);
  SentPart sent{.has_arrived = true, .sha256 = std::nullopt};
  dom::parser parser;
  dom::element stored;
  if (part.is_last && !parser.parse(reply->body).get(stored))
    sent.sha256 = TextOf(stored, "sha256");
  return sent;
}

Result<std::string> Server::StartCapture(const CaptureRequest& request) {
  http::ClientRequest asked{.method = "POST", .target = "/api/v1/captures"};
  const std::string json = RequestJson(request);
  asked.text = json;
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask(std::move(asked)));
  dom::parser parser;
  dom::element root;
  std::string id;
  if (!parser.parse(reply.body).get(root)) id = TextOf(root, "id");
  if (id.empty()) return NotOurs();
  return id;
}

Result<CaptureStatus> Server::Capture(const std::string& id) {
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", CapturePath(id)));
  dom::parser parser;
  dom::element root;
  if (parser.parse(reply.body).get(root)) return NotOurs();
  const std::optional<Phase> phase = Named(kPhases, TextOf(root, "phase"));
  if (!phase) return NotOurs();
  return CaptureStatus{.phase = *phase,
                       .asked = NumberOf(root, "asked", 0),
                       .hosts = CountOf(root, "hosts"),
                       .warnings = TextsOf(root, "warnings"),
                       .missing = TextsOf(root, "missing"),
                       .reason = TextOf(root, "reason"),
                       .run = TextOf(root, "run")};
}

Status Server::CancelCapture(const std::string& id) {
  return Ask("DELETE", CapturePath(id)).status();
}

Result<http::ClientReply> Server::Ask(http::ClientRequest request) {
  RS_ASSIGN_OR_RETURN(http::ClientReply reply, http_->Send(request));
  if (reply.status >= 300) return ErrorOf(reply);
  return reply;
}

Result<http::ClientReply> Server::Ask(const std::string& method, const std::string& target) {
  return Ask({.method = method, .target = target});
}

Result<RunStatus> Server::ReadRun(const http::ClientReply& reply) const {
  dom::parser parser;
  dom::element root;
  if (parser.parse(reply.body).get(root)) return NotOurs();
  RunStatus run{.id = TextOf(root, "id"), .reason = TextOf(root, "reason")};
  const std::optional<RunState> state = Named(kRunStates, TextOf(root, "state"));
  if (!store::IsRunId(run.id) || !state) return NotOurs();
  run.state = *state;
  dom::element summary;
  if (!root["summary"].get(summary)) run.headline = TextOf(summary, "headline");
  return run;
}

Status Server::NotOurs() const {
  return Error(StatusCode::kBadData, "{}: what answers there is no rankscope", url_);
}

}  // namespace rankscope::client
