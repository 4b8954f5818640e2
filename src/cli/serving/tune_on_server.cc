#include "cli/serving/tune_on_server.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include "cli/arguments/server_arguments.h"
#include "cli/base/command.h"
#include "cli/base/messages.h"
#include "client/push_run.h"
#include "store/run.h"

namespace rankscope::cli {
namespace {

// A trial does not wait for a server that is slow.
constexpr std::chrono::seconds kReplyTime{20};

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

void TuneOnServer::AddTo(CommandSpec& app) {
  app.AddOption("--server", access_.url, "show the trials on this rankscope server as they end")
      .Type("URL");
  app.AddOption("--server-token-file", token_file_,
                "file with the token for it (default: RANKSCOPE_TOKEN)")
      .Type(kFileType);
  app.AddOption("--server-ca", access_.ca_file,
                "certificates to trust for it beside the system's, PEM")
      .Type(kFileType);
  app.AddOption("--of", of_, "the server's run of a serving program that is to become better")
      .Type("RUN");
  app.AddOption("--name", name_, "of the run on the server (default: tune ADAPTER)").Type("NAME");
}

Status TuneOnServer::Begin(const std::string& adapter, const std::string& slo,
                           const InterruptFlag& stop) {
  if (access_.url.empty()) {
    if (of_.empty() && name_.empty()) return OkStatus();
    return Error(StatusCode::kInvalidArgument, "--of and --name are of a run on --server");
  }
  RS_ASSIGN_OR_RETURN(client::Server server, Connect());
  store::Run run;
  run.name = name_.empty() ? "tune " + adapter : name_;
  run.tags[std::string(store::kKindTag)] = store::kServingKind;
  if (!slo.empty()) run.tags[std::string(store::kSloTag)] = slo;
  if (!of_.empty()) {
    RS_RETURN_IF_ERROR(server.Run(of_).status());
    run.tags[std::string(store::kOptimisesTag)] = of_;
  }
  RS_ASSIGN_OR_RETURN(client::LiveRun made, client::LiveRun::Begin(std::move(server), run));
  run_.emplace(std::move(made));
  stop_ = &stop;
  Tell("trials are shown at " + run_->page());
  return OkStatus();
}

Result<client::Server> TuneOnServer::Connect() const {
  client::ServerAccess access = access_;
  access.time = kReplyTime;
  RS_ASSIGN_OR_RETURN(access.token, ReadToken(token_file_, "RANKSCOPE_TOKEN"));
  return client::Server::Connect(access);
}

Result<bool> TuneOnServer::Send(const std::string& folder) {
  std::vector<store::LocalFile> files = {{.name = "tune.json", .path = folder + "/tune.json"}};
  if (!has_diagnosis_) {
    for (const char* name : {"diagnosis/load.jsonl", "diagnosis/metrics.prom"}) {
      const std::string path = folder + "/" + name;
      if (Exists(path)) files.push_back({.name = name, .path = path});
    }
  }
  RS_ASSIGN_OR_RETURN(const bool is_sent, run_->Send(files));
  has_diagnosis_ = has_diagnosis_ || is_sent;
  return is_sent;
}

void TuneOnServer::Report(const std::string& folder) {
  if (!run_) return;
  if (const Result<bool> sent = Send(folder); !sent.ok()) TellOnce(sent.status());
}

void TuneOnServer::ReportLast(const std::string& folder) {
  // Without a diagnosis there is nothing to say.
  if (!run_ || !Exists(folder + "/tune.json")) return;
  const auto send = [&]() -> Status {
    RS_ASSIGN_OR_RETURN(const bool is_sent, Send(folder));
    if (is_sent) return OkStatus();
    RS_ASSIGN_OR_RETURN(client::Server server, Connect());
    client::RealWait wait([this] { return stop_->IsSet(); });
    // What the report before says does not matter any more.
    const Status waited = client::WaitForReport(server, run_->id(), wait).status();
    if (waited.code() == StatusCode::kCancelled) return waited;
    return Send(folder).status();
  };
  if (const Status sent = send(); !sent.ok())
    Tell(fmt::format("the server has not all of it: {}", sent.message()));
}

void TuneOnServer::TellOnce(const Status& status) {
  if (has_told_) return;
  has_told_ = true;
  Tell(fmt::format("the server does not get what is known so far: {}", status.message()));
}

}  // namespace rankscope::cli
