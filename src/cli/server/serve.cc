// `rankscope serve`: keeps jobs and shows them. `rankscope token`: who may.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/number_set.h"
#include "catalog/findings.h"
#include "catalog/table_definitions.h"
#include "cli/arguments/blob_arguments.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/listen_address.h"
#include "cli/base/command.h"
#include "cli/base/end_signals.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/server/store.h"
#include "client/server.h"
#include "mcp/http_messages.h"
#include "mcp/server_source.h"
#include "service/queue/queue.h"
#include "service/service.h"

namespace rankscope::cli {
namespace {

struct ServeArguments {
  service::ServiceOptions options;
  BlobArguments blobs;
  std::string listen = "127.0.0.1:8723";
  std::string worker_memory;
  std::string older_than;
  std::string most;
  std::string unused_shares;
  std::string most_share_bytes;
  std::string lease;
  bool has_workers = false;
  bool is_quiet = false;
};

service::AssistantAnswer AnswerAssistant(service::AssistantCall call) {
  mcp::ServerSource source(client::Server(std::move(call.api), std::move(call.address)),
                           std::move(call.run));
  mcp::HttpAnswer answer =
      mcp::AnswerHttp(source, call.body, call.version, {.program_version = ProgramVersion()});
  return {answer.status, std::move(answer.body)};
}

Status Serve(ServeArguments& arguments) {
  service::ServiceOptions& options = arguments.options;
  RS_RETURN_IF_ERROR(ParseListen(arguments.listen, "--listen", options.http));
  RS_ASSIGN_OR_RETURN(options.blobs, arguments.blobs.Read());
  RS_RETURN_IF_ERROR(ParseLease(arguments.lease, options.lease));
  if (!options.catalogue.empty() && !arguments.has_workers) options.workers = 0;
  if (!arguments.worker_memory.empty()) {
    RS_ASSIGN_OR_RETURN(options.worker_memory_bytes, ParseByteSize(arguments.worker_memory));
    RS_RETURN_IF_ERROR(service::CheckAnalysisMemory(options.worker_memory_bytes, "--worker-memory",
                                                    arguments.worker_memory));
  }
  if (!arguments.older_than.empty()) {
    RS_ASSIGN_OR_RETURN(options.retention.older_than_s, ParseAge(arguments.older_than));
  }
  if (!arguments.most.empty()) {
    RS_ASSIGN_OR_RETURN(options.retention.most_bytes, ParseByteSize(arguments.most));
  }
  if (!arguments.unused_shares.empty()) {
    RS_ASSIGN_OR_RETURN(options.shares.unused_s, ParseAge(arguments.unused_shares));
  }
  if (!arguments.most_share_bytes.empty()) {
    RS_ASSIGN_OR_RETURN(options.shares.most_bytes_of_token,
                        ParseByteSize(arguments.most_share_bytes));
  }
  std::error_code error;
  options.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  options.version = ProgramVersion();
  options.assistant = AnswerAssistant;
  options.explanation_of = catalog::PageOf;
  options.table_definitions = catalog::TableDefinitionsJson();
  if (!arguments.is_quiet)
    options.log = [](std::string_view line) { WriteToStderr(std::string(line) + "\n"); };
  HoldEndSignals();
  RS_ASSIGN_OR_RETURN(const auto service, service::Service::Start(std::move(options)));
  RS_RETURN_IF_ERROR(WriteOutput("", service->address() + "\n"));
  WaitForEndSignal();
  return OkStatus();
}

struct TokenArguments {
  std::string role;
  std::string team = std::string(service::kAllTeams);
  std::string name = "token";
  std::string file;
};

// The file is its owner's alone: others who write to it would let themselves in.
Status AppendLine(const std::string& path, const std::string& line) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string text = line + "\n";
  const bool is_written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fsync(file) == 0;
  const Status status =
      is_written ? OkStatus()
                 : Error(StatusCode::kIo, "{}: cannot write: {}", path, std::strerror(errno));
  if (file >= 0) close(file);
  return status;
}

Status MakeToken(const TokenArguments& arguments) {
  const auto role = service::ParseRole(arguments.role);
  RS_ASSIGN_OR_RETURN(
      const service::NewToken made,
      service::MakeToken(role.value_or(service::Role::kRead), arguments.team, arguments.name));
  if (arguments.file.empty()) {
    Tell("the line for serve's --token-file: " + made.line);
  } else {
    RS_RETURN_IF_ERROR(AppendLine(arguments.file, made.line));
  }
  return WriteOutput("", made.token + "\n");
}

void AddPeople(CommandSpec& command, service::PeopleOptions& people) {
  command.AddOption("--oidc-issuer", people.issuer,
                    "people sign in at this provider of OpenID Connect, beside tokens: its "
                    "address, as its discovery document states it");
  command.AddOption("--oidc-client-id", people.client_id, "what the provider calls this server");
  command
      .AddOption("--oidc-client-secret-file", people.client_secret_file,
                 "the secret that the provider gave it (default: a public client)")
      .Type(kFileType);
  command
      .AddOption("--oidc-rules", people.rules_file,
                 "which claims give which team and role, a TOML file (docs/sign-in.md)")
      .Type(kFileType);
  command.AddOption("--oidc-name", people.name,
                    "what pages call the provider (default: the issuer's host)");
  command
      .AddOption("--oidc-ca", people.ca_file,
                 "certificates to trust for the provider in place of the system's, PEM")
      .Type(kFileType);
  command.AddOption("--public-url", people.public_url,
                    "by which address browsers reach this server, for the provider to send them "
                    "back (default: as they say themselves)");
}

}  // namespace

void AddServe(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("serve", "keep jobs and show them: store, HTTP API and pages");
  auto arguments = std::make_shared<ServeArguments>();
  service::ServiceOptions& options = arguments->options;
  AddDataFolder(command, options.data_folder);
  arguments->blobs.AddTo(command, "--blobs", kBlobsHelp);
  AddCatalogue(command, options.catalogue);
  command.AddOption("--listen", arguments->listen, "ADDRESS:PORT; port 0 takes a free one")
      .ShowDefault();
  command
      .AddOption(
          "--token-file", options.token_file,
          "who may do what: lines of rankscope token; without it everybody may do everything")
      .Type(kFileType);
  command.AddOption("--tls-cert", options.http.certificate_file, "certificate chain, PEM")
      .Type(kFileType);
  command.AddOption("--tls-key", options.http.key_file, "its key, PEM").Type(kFileType);
  command
      .AddOption("--tls-client-ca", options.http.client_ca_file,
                 "agents may show a certificate that one of these has signed in place of a "
                 "token (rankscope certs), PEM")
      .Type(kFileType);
  AddPeople(command, options.people);
  command.AddFlag("--insecure", options.is_insecure,
                  "listen beyond this machine without tokens or TLS");
  command
      .AddOption("--allowed-host", options.allowed_hosts,
                 "a name under which browsers reach it, beside localhost; repeatable")
      .OneEach();
  command.AddOption("--perfetto", options.perfetto,
                    "the page of Perfetto's UI (default: https://ui.perfetto.dev)");
  command
      .AddOption("--repository", options.repositories,
                 "FOLDER or TEAM=FOLDER, a git repository: the code of runs that the tag commit "
                 "names; repeatable")
      .OneEach();
  command
      .AddOption("--launcher", options.launcher_file,
                 "a JSON file, {\"argv\": [...]}: what runs a job again when its user or an admin "
                 "asks for that on its page (default: nothing)")
      .Type(kFileType);
  command
      .AddOption("--tuner", options.tuner_file,
                 "the same: what searches better settings (rankscope tune) when that is asked for "
                 "on the page of a serving program")
      .Type(kFileType);
  command
      .AddOption(
          "--workers", options.workers,
          "analyses at a time (default: 1; with --catalogue none, rankscope worker does them)")
      .Range(1, 64)
      .TellGiven(arguments->has_workers);
  command.AddOption("--lease", arguments->lease,
                    "with --catalogue and --workers: after so long without a sign of life others "
                    "take its work (default: 30s)");
  command.AddOption("--worker-memory", arguments->worker_memory,
                    "of each, such as 16G, at least 1G (default: any)");
  command.AddOption("--older-than", arguments->older_than,
                    "remove runs that were not changed for so long, such as 90d; not those tagged "
                    "keep");
  command.AddOption("--max-size", arguments->most,
                    "remove the oldest runs while the store takes more, such as 500G");
  command
      .AddOption("--most-shares", options.shares.most_of_token,
                 "states of pages that a token may keep")
      .ShowDefault();
  command
      .AddOption("--most-team-shares", options.shares.most_of_team,
                 "states of pages that a team may keep")
      .ShowDefault();
  command.AddOption("--most-share-bytes", arguments->most_share_bytes,
                    "what the states of pages of a token may have together (default: 4M)");
  command.AddOption("--unused-shares", arguments->unused_shares,
                    "remove states of pages that nobody looked at for so long (default: 90d)");
  command.AddOption("--most-notes", options.quotas.notes_of_run, "notes of a run")
      .Range(1, 100'000)
      .ShowDefault();
  command.AddOption("--most-queries", options.quotas.queries_of_run, "saved queries of a run")
      .Range(1, 10'000)
      .ShowDefault();
  command
      .AddOption("--most-hosts", options.quotas.hosts_of_team, "hosts of a team that report here")
      .Range(1, 10'000)
      .ShowDefault();
  command
      .AddOption("--most-runs", options.quotas.runs_of_team,
                 "runs of a team that are kept here; 0: any number")
      .Range(0, 100'000'000)
      .ShowDefault();
  command
      .AddOption("--agent-settings", options.agent_settings,
                 "settings that agents take from here, a TOML file, read anew when it changes")
      .Type(kFileType);
  command.AddFlag("--log-requests", options.logs_requests, "a line for each on standard error");
  command.AddFlag("--quiet", arguments->is_quiet, "no log");
  command.Footer("Example:\n  rankscope serve --data /var/lib/rankscope");
  command.SetRun(MakeAction([arguments] { return Serve(*arguments); }));
}

void AddToken(CommandSpec& app) {
  CommandSpec& command = app.AddCommand("token", "make a token for serve's --token-file");
  auto arguments = std::make_shared<TokenArguments>();
  command.AddOption("ROLE", arguments->role, "read, upload or admin")
      .Required()
      .OneOf({"read", "upload", "admin"});
  command.AddOption("--team", arguments->team, "whose runs it sees and makes; * is all")
      .ShowDefault();
  command.AddOption("--name", arguments->name, "whose it is, for logs and notes").ShowDefault();
  command.AddOption("--file", arguments->file, "add its line to this file").Type(kFileType);
  command.Footer("Example:\n  rankscope token upload --team search --name ci --file tokens");
  command.SetRun(MakeAction([arguments] { return MakeToken(*arguments); }));
}

}  // namespace rankscope::cli
