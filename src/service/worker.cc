#include "service/worker.h"

#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>

#include "base/durable.h"
#include "json/writer.h"
#include "service/changes/again.h"
#include "service/changes/gains.h"
#include "service/processes/child.h"
#include "service/processes/work_folder.h"
#include "service/queue/cluster_queue.h"
#include "service/queue/worker_metrics.h"
#include "service/requests/run_json.h"
#include "service/runs/parts.h"
#include "store/postgres_catalogue.h"

namespace rankscope::service {

namespace fs = std::filesystem;

struct Worker::State {
  explicit State(WorkerOptions set) : options(std::move(set)) {}

  WorkerOptions options;
  const std::string name = ProcessName();
  WallClock now_s = [] { return std::int64_t{std::time(nullptr)}; };
  std::unique_ptr<store::Store> store;
  std::unique_ptr<WorkFolder> work;
  // What keeping gains works with; nobody listens or asks here.
  Access access = Access::Open(now_s);
  EventHub events{0};
  std::optional<Parts> parts;
  std::unique_ptr<Gains> gains;
  std::unique_ptr<Commands> commands;
  std::unique_ptr<ClusterQueue> queue;  // it uses the others
  std::unique_ptr<http::Handler> metrics;
  std::unique_ptr<http::Server> metrics_server;  // last: it asks the queue

  void Log(std::string_view event, std::string_view message) const {
    if (!options.log) return;
    std::string line;
    json::Writer writer(line);
    writer.BeginObject().Member("time", IsoTime(now_s())).Member("event", event);
    writer.Member("worker", name).Member("message", message).EndObject();
    options.log(line);
  }
};

Worker::Worker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Worker::~Worker() = default;

std::string Worker::name() const { return state_->name; }
std::string Worker::catalogue() const { return state_->store->cluster()->database().shown(); }

std::string Worker::metrics_address() const {
  const http::Server* const server = state_->metrics_server.get();
  if (server == nullptr) return "";
  const std::string host = server->host();
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("http://{}:{}/metrics", is_v6 ? "[" + host + "]" : host, server->port());
}

Result<std::unique_ptr<Worker>> Worker::Start(WorkerOptions options) {
  auto worker = std::unique_ptr<Worker>(new Worker(std::make_unique<State>(std::move(options))));
  State& state = *worker->state_;
  // Children work elsewhere.
  state.options.data_folder = fs::absolute(state.options.data_folder).lexically_normal().string();
  const WorkerOptions& set = state.options;
  const std::string& data = set.data_folder;
  RS_ASSIGN_OR_RETURN(
      state.store,
      store::Store::Open(data, {.create = true, .catalogue = set.catalogue, .blobs = set.blobs}));
  RS_RETURN_IF_ERROR(MakeFolder(data + "/cache"));
  RS_ASSIGN_OR_RETURN(state.work, WorkFolder::Make(data + "/work", /*is_shared=*/true));
  state.parts.emplace(Parts{.store = *state.store, .access = state.access, .events = state.events});
  state.gains = MakeClusterGains(state.store->cluster()->database());
  state.commands = std::make_unique<Commands>(set.program, state.work->path() + "/commands",
                                              data + "/cache", *state.store, CommandLimits{});
  QueueOptions queue{.program = set.program,
                     .folder = state.work->path() + "/queue",
                     .cache_folder = data + "/cache",
                     .workers = set.workers,
                     .memory_bytes = set.worker_memory_bytes,
                     .memory_option = "--memory of rankscope worker",
                     .shard_bytes = set.shard_bytes,
                     .time = set.worker_time,
                     .version = set.version,
                     .data_folder = data};
  queue.on_change = [&state](const store::Run& run) {
    state.Log("analysed", fmt::format("run {} is {}", run.id, store::ToString(run.state)));
    if (run.state != store::RunState::kReady) return;
    const Status kept = KeepGainsOf(*state.parts, *state.gains, state.now_s, run);
    if (!kept.ok()) state.Log("gains", kept.message());
  };
  queue.on_message = [&state](std::string_view message) { state.Log("queue", message); };
  state.queue = std::make_unique<ClusterQueue>(
      *state.store, *state.commands,
      ClusterQueueOptions{.queue = std::move(queue), .lease = set.lease, .name = state.name});
  if (!CanConfine())
    state.Log("unconfined", "this kernel has no Landlock: analyses could write to the store");
  if (set.metrics) {
    state.metrics =
        MakeMetricsPage([&state] { return WorkerMetrics(state.queue->worker_numbers()); });
    RS_ASSIGN_OR_RETURN(state.metrics_server, http::Server::Start(*set.metrics, *state.metrics));
  }
  state.queue->Begin();
  return worker;
}

}  // namespace rankscope::service
