#include "service/service.h"

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "base/caught.h"
#include "base/durable.h"
#include "base/letter_case.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/base/numbers.h"
#include "service/changes/again.h"
#include "service/changes/gains.h"
#include "service/changes/launches.h"
#include "service/hosts/agents.h"
#include "service/hosts/captures.h"
#include "service/processes/child.h"
#include "service/processes/launcher.h"
#include "service/processes/work_folder.h"
#include "service/queue/cluster_queue.h"
#include "service/requests/api.h"
#include "service/requests/audit_trail.h"
#include "service/requests/pages.h"
#include "service/requests/run_json.h"
#include "service/requests/waiting_work.h"
#include "service/routes/routes.h"
#include "service/runs/cluster_events.h"
#include "service/runs/parts.h"
#include "service/runs/repositories.h"
#include "service/runs/runs.h"
#include "service/runs/timelines.h"
#include "service/sign_in/people.h"
#include "sql/load_duckdb.h"
#include "sql/select_parquet.h"
#include "store/blob_place.h"
#include "store/postgres_catalogue.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kBetweenCollections{10};
constexpr std::chrono::seconds kPatience{5};
// Each holds its index and names: 10 MB of 10,000 ranks.
constexpr std::size_t kMostTimelines = 16;
// Of each database that reads tables, and how many do at a time: others wait for one.
constexpr std::uint64_t kTableMemoryBytes = std::uint64_t{256} << 20;
constexpr std::size_t kTablesAtOnce = 2;
// Answers to coding assistants, and launches: at work, and waiting for that.
constexpr std::size_t kBlockingAtOnce = 4;
constexpr std::size_t kMostBlockingWaiting = 64;

std::int64_t NowSeconds() { return std::time(nullptr); }

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// The host as it stands in an address.
std::string InAddress(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

Status CheckOptions(const ServiceOptions& options) {
  const http::ServerOptions& http = options.http;
  RS_RETURN_IF_ERROR(CheckPerfettoAddress(options.perfetto));
  RS_RETURN_IF_ERROR(CheckPeople(options.people));
  if (http.certificate_file.empty() != http.key_file.empty())
    return Error(StatusCode::kInvalidArgument, "--tls-cert and --tls-key are given both or not");
  if (!http.client_ca_file.empty() && http.certificate_file.empty())
    return Error(StatusCode::kInvalidArgument,
                 "--tls-client-ca goes with --tls-cert and --tls-key: certificates are shown over "
                 "TLS alone");
  if (IsLoopback(http.host) || options.is_insecure) return OkStatus();
  const bool knows_clients =
      !options.token_file.empty() || !http.client_ca_file.empty() || !options.people.issuer.empty();
  if (knows_clients && !http.certificate_file.empty()) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "{} can be reached from other machines: give --tls-cert with --tls-key, and "
               "--token-file, --oidc-issuer or --tls-client-ca, or --insecure if you are sure",
               http.host);
}

// The names under which a browser reaches this server. Without tokens the check is what keeps
// pages of other sites out; a server that takes no request without a token needs none.
std::vector<std::string> HostsOf(const ServiceOptions& options) {
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "[::1]",
                                    InAddress(options.http.host)};
  for (const std::string& host : options.allowed_hosts)
    hosts.push_back(host.starts_with('[') ? host : InAddress(host));
  if (const std::string& url = options.people.public_url; !url.empty()) {
    const std::string host = url.substr(url.find("://") + 3);
    hosts.push_back(host.substr(0, host.starts_with('[') ? host.find(']') + 1 : host.find(':')));
  }
  for (std::string& host : hosts) host = LowerCase(host);
  const bool is_everywhere = options.http.host == "0.0.0.0" || options.http.host == "::";
  if (is_everywhere && options.allowed_hosts.empty()) hosts.clear();
  return hosts;
}

// Uploads of runs that are gone.
void RemoveOrphans(const std::string& folder, const store::Catalogue& catalogue) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto run = catalogue.Look(entry.path().filename().string());
    if (run.ok() || run.status().code() != StatusCode::kNotFound) continue;
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

struct Service::State {
  explicit State(ServiceOptions set) : options(std::move(set)) {}

  ServiceOptions options;
  WallClock now_s = NowSeconds;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<Access> access;
  std::unique_ptr<AuditTrail> trail;
  std::int64_t told_audit = 0;           // the last number of the audit log that the log says
  std::unique_ptr<People> people;        // null: nobody signs in at a provider
  std::unique_ptr<EventHub> own_events;  // without a cluster
  std::unique_ptr<ClusterEvents> cluster_events;  // with one
  std::unique_ptr<WorkFolder> work;
  std::unique_ptr<Uploads> uploads;
  std::unique_ptr<Commands> commands;
  Repositories repositories;
  LauncherConfig launcher, tuner;
  std::optional<Launches> launches, tunings;
  std::unique_ptr<Gains> gains;
  OnTags keep_gains = [this](const store::Run& run) {
    if (run.state != store::RunState::kReady) return;
    const Status kept = KeepGainsOf(*parts, *gains, now_s, run);
    if (!kept.ok()) Log("gains", kept.message());
  };
  LaunchLog launch_log = [this](std::string_view event, std::string_view text) {
    Log(event, text);
  };
  Numbers numbers;
  sql::ParquetReader tables{kTableMemoryBytes, kTablesAtOnce};
  Timelines timelines{kMostTimelines};
  std::unique_ptr<AgentSettings> agent_settings;  // null: none
  Agents agents{[this](std::string_view text) { Log("agents", text); },
                [this](std::string_view team, const std::string& host) {
                  return agent_settings ? agent_settings->For(team, host) : SettingsFor({}, "", "");
                },
                options.quotas.hosts_of_team};
  std::unique_ptr<Shares> shares;
  std::unique_ptr<Queue> queue;
  ClusterQueue* cluster_queue = nullptr;  // queue, where it is one
  std::unique_ptr<Parts> parts;
  std::unique_ptr<Runs> runs;
  std::unique_ptr<Captures> captures;
  RouteTable routes;
  std::unique_ptr<Api> api;
  std::unique_ptr<WaitingWork> blocking;
  std::unique_ptr<http::Server> server;

  std::mutex mutex;
  std::condition_variable stopped;
  bool is_stopping = false;
  std::thread collector;

  void Refresh() const {
    if (cluster_queue != nullptr) cluster_queue->Refresh();
  }

  // Every route of the API, with what its handler works with.
  void AddRoutes() {
    routes.Add(RunRoutes(*parts, *runs, keep_gains));
    routes.Add(FileRoutes(*parts, *uploads, *commands, options.limits));
    routes.Add(DirectRoutes(*parts, *uploads, *blocking, options.limits));
    routes.Add(TableRoutes(*parts, tables, *commands, options.table_definitions));
    routes.Add(ExplainRoutes(options.explanation_of));
    routes.Add(TimelineRoutes(*parts, timelines));
    routes.Add(WorkRoutes(*parts, *commands));
    routes.Add(FleetRoutes({options.data_folder, options.catalogue,
                            store::CopiesFolderOf(options.data_folder, options.blobs)},
                           *commands));
    routes.Add(ActRoutes(*parts, repositories, *commands));
    const auto launches_of = [&](const LauncherConfig& config, std::string_view name) {
      return Launches::With{.parts = *parts,
                            .config = config,
                            .folder = fmt::format("{}/{}", work->path(), name),
                            .work = *blocking,
                            .log = launch_log,
                            .now_s = now_s,
                            .option = fmt::format("--{}", name)};
    };
    launches.emplace(launches_of(launcher, "launcher"));
    tunings.emplace(launches_of(tuner, "tuner"));
    routes.Add(AgainRoutes(*parts, *gains, *launches, now_s));
    routes.Add(TuningRoutes(*parts, *tunings));
    routes.Add(NoteRoutes(*parts, now_s));
    routes.Add(ShareRoutes(*shares));
    routes.Add(HostRoutes(agents, *captures, now_s));
    routes.Add(SessionRoutes(*access, people.get()));
    if (people != nullptr) routes.Add(PeopleRoutes(*people));
    routes.Add(AuditRoutes(*trail));
    if (options.assistant) routes.Add(AssistantRoutes(*parts, options.assistant, *api, *blocking));
    routes.Add(StateRoutes(*parts, numbers, *queue, agents, routes, options.version));
  }

  void Log(std::string_view event, std::string_view message) const {
    if (!options.log) return;
    std::string line;
    json::Writer writer(line);
    writer.BeginObject().Member("time", IsoTime(NowSeconds())).Member("event", event);
    writer.Member("message", message).EndObject();
    options.log(line);
  }

  void LogSignIn(const People::Told& told) const {
    const std::string subject = told.subject.empty() ? "" : fmt::format("sub {}", told.subject);
    if (told.person == nullptr) {
      trail->SignInRefused(told.peer, fmt::format("at the provider: {} {}", told.why, subject));
    } else {
      trail->SignedIn(*told.person, told.peer, fmt::format("at the provider: {}", subject));
    }
    if (told.person == nullptr)
      return Log("sign-in-refused", fmt::format("{} ({}): {}", told.peer, told.subject, told.why));
    Log("sign-in", fmt::format("{} ({}) as {} of team {} from {}", told.person->name, told.subject,
                               ToString(told.person->role), told.person->team, told.peer));
  }

  void Collect() {
    std::unique_lock lock(mutex);
    while (!stopped.wait_for(lock, kBetweenCollections, [this] { return is_stopping; })) {
      const Status collected = Caught([this] { return CollectOnce(); });
      if (!collected.ok()) Log("gc", collected.message());
    }
  }

  // The log of the server may be kept elsewhere: what it says here is what the audit log has to
  // have (rankscope audit verify --expect).
  void LogAuditHead() {
    const auto head = trail->log().Noted();
    if (!head.ok() || head->number == told_audit) return;
    told_audit = head->number;
    Log("audit", fmt::format("{}:{}", head->number, head->hash));
  }

  Status CollectOnce() {
    RS_RETURN_IF_ERROR(trail->log().Trim());
    LogAuditHead();
    shares->RemoveUnused();
    if (cluster_events != nullptr) RS_RETURN_IF_ERROR(cluster_events->Trim());
    RS_ASSIGN_OR_RETURN(const store::Removed removed, store->CollectGarbage(options.retention));
    if (removed.runs > 0 || removed.blobs > 0) {
      const std::string text = fmt::format("removed {} runs and {} contents of {} bytes",
                                           removed.runs, removed.blobs, removed.bytes);
      Log("gc", text);
      if (removed.runs > 0) trail->Note("runs.expire", text);
    }
    return OkStatus();
  }
};

Service::Service(std::unique_ptr<State> state) : state_(std::move(state)) {}

Service::~Service() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->is_stopping = true;
  }
  state_->stopped.notify_all();
  if (state_->collector.joinable()) state_->collector.join();
  // Agents are told of it, as long as they can be.
  if (state_->captures != nullptr) state_->captures->Stop();
  state_->agents.Stop();
  if (state_->server != nullptr) state_->server->Stop(kPatience);
  state_->blocking.reset();
  state_->people.reset();
  if (state_->server != nullptr) state_->trail->Note("server.stop", "");
  if (state_->cluster_events != nullptr) state_->cluster_events->Stop();
  state_->queue.reset();
}

std::string Service::address() const {
  return fmt::format("{}://{}:{}", state_->options.http.certificate_file.empty() ? "http" : "https",
                     InAddress(state_->server->host()), state_->server->port());
}

const RouteTable& Service::routes() const { return state_->routes; }

Result<std::unique_ptr<Service>> Service::Start(ServiceOptions options) {
  RS_RETURN_IF_ERROR(CheckOptions(options));
  // Not by the first request that needs it: what the server takes is known when it has started.
  RS_RETURN_IF_ERROR(sql::LoadDuckDb());
  auto service = std::unique_ptr<Service>(new Service(std::make_unique<State>(std::move(options))));
  State& state = *service->state_;
  // Children work elsewhere.
  state.options.data_folder = fs::absolute(state.options.data_folder).lexically_normal().string();
  const ServiceOptions& set = state.options;
  state.access = std::make_unique<Access>(Access::Open(NowSeconds));
  if (!set.token_file.empty()) {
    RS_ASSIGN_OR_RETURN(*state.access, Access::FromFile(set.token_file, NowSeconds));
  }
  RS_ASSIGN_OR_RETURN(state.repositories, Repositories::Of(set.repositories));
  if (!set.launcher_file.empty()) {
    RS_ASSIGN_OR_RETURN(state.launcher, ReadLauncher(set.launcher_file));
  }
  if (!set.tuner_file.empty()) {
    RS_ASSIGN_OR_RETURN(state.tuner, ReadLauncher(set.tuner_file));
  }
  RS_ASSIGN_OR_RETURN(state.store, store::Store::Open(set.data_folder, {.create = true,
                                                                        .catalogue = set.catalogue,
                                                                        .blobs = set.blobs}));
  RS_ASSIGN_OR_RETURN(const auto unreadable, state.store->catalogue().Unreadable());
  for (const auto& [path, why] : unreadable)
    state.Log("unreadable", fmt::format("{}: {}", path, why.message()));
  store::PostgresCatalogue* const cluster = state.store->cluster();
  // Of a cluster all were made with one.
  std::vector<store::Run> runs;
  if (cluster == nullptr) {
    RS_ASSIGN_OR_RETURN(runs, state.store->catalogue().All());
  }
  if (const auto unsealed = std::ranges::count(runs, 0, &store::Run::sealed_s); unsealed > 0) {
    state.Log("unverified",
              fmt::format("{} runs are as an older version kept them, without a checksum of their "
                          "record: rankscope store check --seal, while the server does not run, "
                          "looks at all that they name and gives them one",
                          unsealed));
  }
  const std::string& data = set.data_folder;
  for (const char* part : {"/uploads", "/shares", "/cache", "/work", "/gains"})
    RS_RETURN_IF_ERROR(MakeFolder(data + part));
  RemoveOrphans(data + "/uploads", state.store->catalogue());
  const auto team_of_run = [&state](std::string_view id) -> std::optional<std::string> {
    const auto run = state.store->catalogue().Look(std::string(id));
    return run.ok() ? std::optional((*run)->team) : std::nullopt;
  };
  RS_ASSIGN_OR_RETURN(state.work, WorkFolder::Make(data + "/work", cluster != nullptr));
  const std::string work = state.work->path();
  if (cluster == nullptr) {
    state.shares = std::make_unique<FolderShares>(data + "/shares", state.store->temporary_folder(),
                                                  set.shares, team_of_run, state.now_s);
    state.gains = std::make_unique<FolderGains>(
        data + "/gains", state.store->temporary_folder(),
        [&state](std::string_view text) { state.Log("gains", text); });
    state.own_events = std::make_unique<EventHub>(
        std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1));
  } else {
    postgres::Database& database = cluster->database();
    state.shares = MakeClusterShares(database, set.shares, team_of_run, state.now_s);
    state.gains = MakeClusterGains(database);
    state.access->KeepSessionsIn(MakeClusterSessions(database));
    state.options.http.begin_may_block = true;
    RS_ASSIGN_OR_RETURN(
        state.cluster_events,
        ClusterEvents::Open(
            {.catalogue = *cluster,
             .shown =
                 [&state](const store::Run& run) { return json::ToJson(state.runs->Shown(run)); },
             .before_reading = [&state] { state.Refresh(); },
             .on_message = [&state](std::string_view text) { state.Log("cluster", text); }}));
  }
  EventHub& events =
      state.cluster_events != nullptr ? state.cluster_events->hub() : *state.own_events;
  std::unique_ptr<audit::Log> audit_log;
  if (cluster == nullptr) {
    RS_ASSIGN_OR_RETURN(audit_log, audit::OpenFolderLog(data + "/audit"));
  } else {
    audit_log = audit::MakeClusterLog(cluster->database());
  }
  state.trail = std::make_unique<AuditTrail>(
      std::move(audit_log), [&state](std::string_view text) { state.Log("audit", text); },
      state.now_s);
  if (!set.people.issuer.empty()) {
    auto sign_ins = cluster == nullptr ? MakeSignInsInMemory(NowSeconds)
                                       : MakeClusterSignIns(cluster->database());
    RS_ASSIGN_OR_RETURN(
        state.people,
        People::Open(
            set.people, *state.access, std::move(sign_ins),
            [&state](const People::Told& told) { state.LogSignIn(told); }, state.now_s));
  }
  if (!set.agent_settings.empty()) {
    RS_ASSIGN_OR_RETURN(state.agent_settings,
                        AgentSettings::Open(set.agent_settings, [&state](std::string_view text) {
                          state.Log("agent-settings", text);
                          state.trail->Note("settings.change", text);
                        }));
  }
  state.uploads = std::make_unique<Uploads>(data + "/uploads", state.store->blobs(),
                                            cluster == nullptr ? "" : data + "/uploads.lock");
  state.commands = std::make_unique<Commands>(set.program, work + "/commands", data + "/cache",
                                              *state.store, set.commands);
  QueueOptions queue{.program = set.program,
                     .folder = work + "/queue",
                     .cache_folder = data + "/cache",
                     .journal = data + "/queue.journal",
                     .workers = set.workers,
                     .memory_bytes = set.worker_memory_bytes,
                     .memory_option = "--worker-memory of rankscope serve",
                     .time = set.worker_time,
                     .version = set.version,
                     .data_folder = data};
  queue.on_change = [&state](const store::Run& run) {
    state.runs->Publish(run);
    state.keep_gains(run);
  };
  queue.on_message = [&state](std::string_view message) { state.Log("queue", message); };
  if (cluster == nullptr) {
    RS_ASSIGN_OR_RETURN(state.queue, Queue::Open(*state.store, *state.commands, std::move(queue)));
  } else {
    auto of_cluster = std::make_unique<ClusterQueue>(
        *state.store, *state.commands,
        ClusterQueueOptions{.queue = std::move(queue), .lease = set.lease, .name = ProcessName()});
    state.cluster_queue = of_cluster.get();
    state.queue = std::move(of_cluster);
  }
  state.parts = std::unique_ptr<Parts>(new Parts{
      .store = *state.store, .access = *state.access, .events = events, .quotas = set.quotas});
  state.runs = std::make_unique<Runs>(*state.parts, *state.queue, *state.uploads);
  state.captures = std::make_unique<Captures>(state.agents, *state.parts, *state.runs, state.now_s);
  ApiOptions api{.hosts = HostsOf(set),
                 .takes_certificates_alone = !set.http.client_ca_file.empty(),
                 .data_folder = data,
                 .pages = MakePages(set.perfetto),
                 .log = {},
                 .now_s = state.now_s};
  api.audit = state.trail.get();
  api.public_url = set.people.public_url;
  if (set.logs_requests) api.log = set.log;
  api.log_problems = set.log;
  state.api = std::make_unique<Api>(
      [&state](std::string_view method, std::string_view path) {
        return state.routes.Find(method, path);
      },
      *state.access, state.numbers, std::move(api));
  state.blocking = std::make_unique<WaitingWork>(kBlockingAtOnce, kMostBlockingWaiting);
  state.AddRoutes();
  if (!CanConfine())
    state.Log("unconfined", "this kernel has no Landlock: workers could write to the store");
  state.queue->Begin();
  if (state.cluster_events != nullptr) state.cluster_events->Begin();
  RS_ASSIGN_OR_RETURN(state.server, http::Server::Start(state.options.http, *state.api));
  state.collector = std::thread([&state] { state.Collect(); });
  state.trail->Note(
      "server.start",
      fmt::format("{} at {}, {}{}", set.version, service->address(),
                  set.token_file.empty() ? "without tokens" : "with tokens",
                  set.people.issuer.empty() ? "" : ", people sign in at " + set.people.issuer));
  state.LogAuditHead();
  state.Log("serving", service->address());
  return service;
}

}  // namespace rankscope::service
