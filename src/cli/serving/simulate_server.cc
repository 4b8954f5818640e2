// `rankscope simulate-server`: a server of a language model, without the model.
#include <sys/resource.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cli/base/command.h"
#include "cli/base/end_signals.h"
#include "cli/base/output.h"
#include "sim/server/model_server.h"
#include "sim/serving/server_truth.h"

namespace rankscope::cli {
namespace {

struct SimulateServerArguments {
  sim::ModelServerOptions options;
  std::string shape = "llama3-8b-a100";
  int port = 8000;
  std::int64_t model_len = 0;
  std::int64_t kv_blocks = 0;
  bool no_prefix_caching = false;
  bool no_chunked_prefill = false;
  double startup_s = 0;
  std::string busy_status = "503";
  std::string truth;
  sim::RequestMix mix;
};

Status Settle(SimulateServerArguments& arguments) {
  sim::ModelServerOptions& options = arguments.options;
  RS_ASSIGN_OR_RETURN(options.shape, sim::CostShapeOf(arguments.shape));
  options.http.port = static_cast<std::uint16_t>(arguments.port);
  if (arguments.model_len > 0) options.settings.max_model_len = arguments.model_len;
  if (arguments.kv_blocks > 0) options.settings.kv_blocks = arguments.kv_blocks;
  options.settings.caches_prefixes = !arguments.no_prefix_caching;
  options.settings.chunks_prompts = !arguments.no_chunked_prefill;
  options.live.startup_time =
      std::chrono::nanoseconds(static_cast<std::int64_t>(arguments.startup_s * 1e9));
  options.busy_status = std::stoi(arguments.busy_status);
  if (options.model.empty()) options.model = arguments.shape;
  return OkStatus();
}

// Settings with which no engine starts are no wrong command line: the program could not.
Status AsCouldNot(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument
             ? Status(StatusCode::kBadData, status.message())
             : status;
}

Status WriteTruth(const SimulateServerArguments& arguments) {
  if (arguments.truth.empty()) return OkStatus();
  const sim::ModelServerOptions& options = arguments.options;
  RS_ASSIGN_OR_RETURN(const std::string json,
                      sim::ServerTruth({.shape = options.shape,
                                        .settings = options.settings,
                                        .noise = options.noise,
                                        .time_scale = options.live.time_scale},
                                       arguments.mix));
  return WriteOutput(arguments.truth, json);
}

// A connection for each request that is on its way, and a descriptor beside it.
void AllowManyFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Status Serve(SimulateServerArguments& arguments) {
  RS_RETURN_IF_ERROR(Settle(arguments));
  if (const Status written = WriteTruth(arguments); !written.ok()) return AsCouldNot(written);
  AllowManyFiles();
  HoldEndSignals();
  std::atomic<bool> is_dead = false;
  arguments.options.on_death = [&is_dead] {
    is_dead = true;
    RaiseEndSignal();
  };
  auto server = sim::ModelServer::Start(arguments.options);
  if (!server.ok()) return AsCouldNot(server.status());
  RS_RETURN_IF_ERROR(WriteOutput("", (*server)->address() + "\n"));
  WaitForEndSignal();
  if (!is_dead) return OkStatus();
  return Error(StatusCode::kResource,
               "the engine is out of memory: {} requests ran at once, and what they need beside "
               "the KV cache does not fit; lower --gpu-memory-utilization or --max-num-seqs",
               (*server)->gauges().running);
}

void AddEngineOptions(CommandSpec& command, SimulateServerArguments& arguments) {
  sim::EngineSettings& settings = arguments.options.settings;
  command.AddOption("--max-num-seqs", settings.max_num_seqs, "requests that run at once")
      .ShowDefault();
  command.AddOption("--max-num-batched-tokens", settings.max_num_batched_tokens, "tokens of a step")
      .ShowDefault();
  command
      .AddOption("--max-model-len", arguments.model_len,
                 "tokens of the longest request (default: the model's)")
      .Positive();
  command
      .AddOption("--gpu-memory-utilization", settings.gpu_memory_utilization,
                 "share of the device's memory for weights, activations and KV cache")
      .ShowDefault();
  command
      .AddOption("--kv-blocks", arguments.kv_blocks,
                 "blocks of 16 tokens in the KV cache (default: what the share leaves)")
      .Positive();
  command
      .AddOption("--long-prefill-token-threshold", settings.long_prefill_token_threshold,
                 "tokens of one prompt in a step; 0: as many as fit")
      .ShowDefault();
  command.AddFlag("--enforce-eager", settings.enforces_eager, "no CUDA graphs: slower steps");
  CommandOption& caches = command.AddFlag("--enable-prefix-caching", settings.caches_prefixes,
                                          "keep what prompts have in common (this is the default)");
  command.AddFlag("--no-enable-prefix-caching", arguments.no_prefix_caching, "compute every prompt")
      .Excludes(caches);
  command.AddFlag("--no-enable-chunked-prefill", arguments.no_chunked_prefill,
                  "a prompt is computed in one step");
}

void AddClockOptions(CommandSpec& command, SimulateServerArguments& arguments) {
  sim::ModelServerOptions& options = arguments.options;
  command.AddOption("--seed", options.noise.seed, "the same seed draws the same").ShowDefault();
  command
      .AddOption("--noise", options.noise.sigma,
                 "how much the time of a step varies: sigma of its logarithm")
      .Range(0.0, 1.0)
      .ShowDefault();
  command
      .AddOption("--stall-chance", options.noise.stall_chance,
                 "that a step takes 50 to 200 ms more")
      .Range(0.0, 1.0)
      .ShowDefault();
  command
      .AddOption("--time-scale", options.live.time_scale,
                 "run so many times faster than the simulated server")
      .Range(0.001, 1000.0)
      .ShowDefault();
  command
      .AddOption("--startup-time", arguments.startup_s,
                 "seconds during which it answers 503, by the real clock")
      .Range(0.0, 86400.0)
      .ShowDefault();
}

}  // namespace

void AddSimulateServer(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "simulate-server", "serve a simulated language model: OpenAI's API, vLLM's metrics, no GPU");
  auto arguments = std::make_shared<SimulateServerArguments>();
  sim::ModelServerOptions& options = arguments->options;
  std::vector<std::string> shapes;
  for (const std::string_view name : sim::CostShapeNames()) shapes.emplace_back(name);
  command.AddOption("--shape", arguments->shape, "model and device, as far as they cost time")
      .OneOf(shapes)
      .ShowDefault();
  command.AddOption("--host", options.http.host, "address to listen on").ShowDefault();
  command.AddOption("--port", arguments->port, "0 takes a free one").Range(0, 65535).ShowDefault();
  command.AddOption("--served-model-name", options.model, "name of the model (default: the shape)");
  AddEngineOptions(command, *arguments);
  AddClockOptions(command, *arguments);
  command
      .AddOption("--queue-limit", options.live.queue_limit, "requests that may wait; 0: any number")
      .NonNegative()
      .ShowDefault();
  command.AddOption("--busy-status", arguments->busy_status, "what more of them are answered")
      .OneOf({"429", "503"})
      .ShowDefault();
  command
      .AddOption("--answer-tokens", options.answer_tokens,
                 "mean length of answers that end by themselves")
      .Positive()
      .ShowDefault();
  command.AddOption("--chunk-tokens", options.chunk_tokens, "tokens of a chunk of a stream")
      .Positive()
      .ShowDefault();
  command.AddOption("--iteration-log", options.iteration_log, "a line for each step, as vLLM's")
      .Type(kFileType);
  command
      .AddOption("--truth", arguments->truth,
                 "write what the server can do at most (docs/simulate-server.md)")
      .Type(kFileType);
  command
      .AddOption("--mix-prompt", arguments->mix.prompt_tokens,
                 "tokens of the prompts of which --truth tells")
      .Positive()
      .ShowDefault();
  command.AddOption("--mix-output", arguments->mix.output_tokens, "and of their answers")
      .Positive()
      .ShowDefault();
  std::string footer =
      "Example:\n  rankscope simulate-server --shape tiny --port 8000 --max-num-seqs "
      "8\n\nShapes:\n";
  for (const sim::CostShape& shape : sim::CostShapes()) {
    footer += "  " + std::string(shape.name) + std::string(24 - shape.name.size(), ' ') +
              std::string(shape.about) + "\n";
  }
  command.Footer(std::move(footer));
  command.SetRun(MakeAction([arguments] { return Serve(*arguments); }));
}

}  // namespace rankscope::cli
