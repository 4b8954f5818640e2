#include "client/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "api/capture.h"
#include "api/request.h"
#include "api/run.h"
#include "client/server_error.h"
#include "http/url.h"
#include "json/fields.h"
#include "json/reader.h"

namespace rankscope::client {
namespace {

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

api::NewRun NewRunOf(const store::Run& run) {
  return {.name = run.name,
          .user = run.user,
          .team = run.team,
          .model = run.model,
          .product = run.product,
          .framework = run.framework,
          .hardware = run.hardware,
          .tags = run.tags};
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
                              .key_file = access.key_file,
                              .time = access.time};
  if (!access.token.empty()) options.fields.emplace_back("Authorization", "Bearer " + access.token);
  return Server(http::MakeClient(address, options), address.Text());
}

Server::Server(std::shared_ptr<http::Client> http, std::string url)
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
  const std::string text = json::ToJson(NewRunOf(run));
  request.text = text;
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask(std::move(request)));
  return ReadRun(reply.body);
}

Result<RunStatus> Server::Run(const std::string& id) {
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", RunPath(id)));
  return ReadRun(reply.body);
}

Result<std::vector<store::RunFile>> Server::Files(const std::string& run) {
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", RunPath(run) + "/files"));
  auto list = json::FromJson<api::RunFileList>(reply.body);
  if (!list.ok()) return NotOurs();
  std::vector<store::RunFile> files;
  for (api::RunFile& one : list->files)
    files.push_back({std::move(one.name), std::move(one.sha256), one.bytes});
  return files;
}

Status Server::FinishRun(const std::string& run) {
  return Ask("POST", RunPath(run) + "/finish").status();
}

Status Server::ReopenRun(const std::string& run) {
  return Ask("POST", RunPath(run) + "/reopen").status();
}

Status Server::RemoveRun(const std::string& run) { return Ask("DELETE", RunPath(run)).status(); }

Result<bool> Server::SendFile(const std::string& run, const store::RunFile& file,
                              const std::string& path,
                              const std::function<bool(std::uint64_t sent)>& progress) {
  const Result<http::ClientReply> reply =
      http_->Send({.method = "PUT",
                   .target = FilePath(run, file.name),
                   .fields = {{"X-Content-SHA256", file.sha256}},
                   .file = {.path = path, .offset = 0, .bytes = file.bytes, .keep = nullptr},
                   .progress = progress});
  if (MayPass(reply)) return false;
  if (!reply.ok()) return reply.status();
  if (reply->status == 422) return OtherBytes(path);
  if (reply->status >= 300) return ErrorOf(*reply);
  return true;
}

namespace {

// `what`: "direct" or "sent".
std::string DirectPath(const std::string& run, std::string_view what, const std::string& file) {
  return fmt::format("{}/{}/{}", RunPath(run), what, http::PercentEncoded(file, true));
}

std::string StatedJson(const store::RunFile& file) {
  return json::ToJson(
      api::DirectUpload{.sha256 = file.sha256, .bytes = static_cast<std::int64_t>(file.bytes)});
}

}  // namespace

Result<std::optional<api::UploadAddress>> Server::AddressFor(const std::string& run,
                                                             const store::RunFile& file) {
  const std::string stated = StatedJson(file);
  const auto reply = http_->Send(
      {.method = "POST", .target = DirectPath(run, "direct", file.name), .text = stated});
  if (!reply.ok()) return reply.status();
  constexpr int kNotDirect[] = {404, 405, 409, 413};
  if (std::ranges::find(kNotDirect, reply->status) != std::end(kNotDirect))
    return std::optional<api::UploadAddress>();
  if (reply->status >= 300) return ErrorOf(*reply);
  auto address = json::FromJson<api::UploadAddress>(reply->body);
  if (!address.ok() || address->url.empty()) return NotOurs();
  return std::optional(std::move(*address));
}

Result<bool> Server::TakeSent(const std::string& run, const store::RunFile& file,
                              const std::string& path) {
  constexpr int kLocked = 423;
  const std::string stated = StatedJson(file);
  const auto reply =
      http_->Send({.method = "POST", .target = DirectPath(run, "sent", file.name), .text = stated});
  if (MayPass(reply) || (reply.ok() && reply->status == kLocked)) return false;
  if (!reply.ok()) return reply.status();
  if (reply->status == 422) return OtherBytes(path);
  if (reply->status >= 300) return ErrorOf(*reply);
  return true;
}

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
  if (part.is_last) {
    const auto stored = json::FromJson<api::RunFile>(reply->body);
    if (stored.ok()) sent.sha256 = stored->sha256;
  }
  return sent;
}

Result<RunStatus> Server::NewestRun() {
  RS_ASSIGN_OR_RETURN(const std::string list, BodyOf("GET", "/api/v1/runs?state=ready&limit=1"));
  const auto page = json::FromJson<api::RunPage>(list);
  if (!page.ok()) return NotOurs();
  if (page->runs.empty())
    return Error(StatusCode::kNotFound, "{} has no run that is ready: rankscope push sends one",
                 url_);
  return StatusOf(page->runs.front());
}

Result<std::string> Server::Report(const std::string& run) {
  return BodyOf("GET", RunPath(run) + "/report");
}

Result<std::string> Server::Rows(const std::string& run, const RowsQuestion& question) {
  std::string target = fmt::format("{}/tables/{}?limit={}", RunPath(run),
                                   http::PercentEncoded(question.table), question.limit);
  const auto add = [&](std::string_view name, std::string_view value) {
    target += fmt::format("&{}={}", name, http::PercentEncoded(value));
  };
  for (const std::string& condition : question.filter) add("filter", condition);
  for (const auto& [option, value] : question.settings) add("set", option + "=" + value);
  if (!question.sort.empty()) add("sort", fmt::format("{}", fmt::join(question.sort, ",")));
  if (!question.columns.empty())
    add("columns", fmt::format("{}", fmt::join(question.columns, ",")));
  return BodyOf("GET", target);
}

Result<std::string> Server::Query(const std::string& run, const std::string& sql) {
  return BodyOf("POST", RunPath(run) + "/query",
                json::ToJson(api::SqlRequest{.sql = sql, .file = ""}));
}

Result<std::string> Server::WhatIf(const std::string& run,
                                   const std::vector<std::string>& changes) {
  return BodyOf("POST", RunPath(run) + "/whatif",
                json::ToJson(api::WhatIfRequest{.changes = changes}));
}

Result<std::string> Server::Diff(const std::string& base, const std::string& test) {
  return BodyOf("GET", fmt::format("/api/v1/diff?base={}&test={}", http::PercentEncoded(base),
                                   http::PercentEncoded(test)));
}

Result<std::string> Server::Patch(const std::string& run, const std::string& finding) {
  return BodyOf("GET",
                fmt::format("/api/v1/runs/{}/patch{}{}", http::PercentEncoded(run),
                            finding.empty() ? "" : "?finding=", http::PercentEncoded(finding)));
}

Status Server::KeepGain(const api::NewMeasuredGain& gain) {
  return BodyOf("POST", "/api/v1/gains", json::ToJson(gain)).status();
}

Result<std::string> Server::StartCapture(const CaptureRequest& request) {
  http::ClientRequest asked{.method = "POST", .target = "/api/v1/captures"};
  const std::string text = json::ToJson(request);
  asked.text = text;
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask(std::move(asked)));
  const auto answer = json::Reader::Parse(reply.body);
  std::string id = answer.ok() ? answer->root()["id"].TextOr("") : "";
  if (id.empty()) return NotOurs();
  return id;
}

Result<CaptureStatus> Server::Capture(const std::string& id) {
  RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", CapturePath(id)));
  const auto capture = json::FromJson<api::CaptureDetail>(reply.body);
  if (!capture.ok()) return NotOurs();
  const std::optional<Phase> phase = Named(kPhases, capture->phase);
  if (!phase) return NotOurs();
  return CaptureStatus{.phase = *phase,
                       .asked = capture->asked,
                       .written = capture->written + capture->snapshots,
                       .arrived = capture->arrived,
                       .hosts = capture->hosts.size(),
                       .warnings = capture->warnings,
                       .missing = capture->missing,
                       .reason = capture->reason,
                       .run = capture->run};
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

Result<std::string> Server::BodyOf(const std::string& method, const std::string& target,
                                   std::string_view body) {
  RS_ASSIGN_OR_RETURN(http::ClientReply reply,
                      Ask({.method = method, .target = target, .text = body}));
  return std::move(reply.body);
}

Result<RunStatus> Server::ReadRun(std::string_view json) const {
  const auto shown = json::FromJson<api::Run>(json);
  return shown.ok() ? StatusOf(*shown) : NotOurs();
}

Result<RunStatus> Server::StatusOf(const api::Run& shown) const {
  const std::optional<RunState> state = Named(kRunStates, shown.state);
  if (!store::IsRunId(shown.id) || !state) return NotOurs();
  RunStatus run{.id = shown.id,
                .state = *state,
                .reason = shown.reason,
                .headline = "",
                .files = shown.files,
                .name = shown.name};
  const auto summary = json::FromJson<api::RunSummary>(shown.summary.text);
  if (summary.ok()) run.headline = summary->headline;
  return run;
}

Status Server::NotOurs() const {
  return Error(StatusCode::kBadData, "{}: what answers there is no rankscope", url_);
}

}  // namespace rankscope::client
