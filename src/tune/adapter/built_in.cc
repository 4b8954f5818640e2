#include "tune/adapter/built_in.h"

#include <algorithm>
#include <array>

namespace rankscope::tune {
namespace {

// Names, defaults and useful ranges are those of the engines' own documents; what changes answers
// (types of the cache, quantisation) is in none of them.
constexpr std::string_view kVllm =
    R"(# vLLM: rankscope tune vllm --set model=NAME --slo ttft=1s,tpot=50ms -- MORE ARGUMENTS
name = "vllm"

[values]
model = ""

[trial]
start = ["vllm", "serve", "${model}", "--host", "127.0.0.1", "--port", "${port}", "${settings}", "${arguments}"]
ready = "/health"
ready_within_s = 1800
stop_within_s = 60

[parameters.max_num_seqs]
flag = "--max-num-seqs"
scale = "log2"
least = 16
most = 1024
default = 256            # 1024 on devices of 70 GiB and more, but A100: write here what yours has
resolution = 2           # values from one to twice as much
raised_by = ["small-batches", "queueing"]
lowered_by = ["kv-cache-pressure", "prefill-interference"]

[parameters.max_num_batched_tokens]
flag = "--max-num-batched-tokens"
scale = "log2"
least = 512
most = 32768
default = 2048           # 8192 there
resolution = 2
raised_by = ["small-batches", "queueing"]
lowered_by = ["small-batches", "queueing", "prefill-interference"]

[parameters.gpu_memory_utilization]
flag = "--gpu-memory-utilization"
scale = "linear"
least = 0.80
most = 0.97
default = 0.90
resolution = 0.01
raised_by = ["kv-cache-pressure"]

[parameters.prefix_caching]
flags = ["--no-enable-prefix-caching", "--enable-prefix-caching"]
choices = ["off", "on"]
default = "on"
raised_by = ["prefix-cache-miss"]

[parameters.cuda_graphs]
flags = ["--enforce-eager", ""]
choices = ["off", "on"]
default = "on"
raised_by = ["host-bound-decode"]

[[orders]]
greater = "max_num_batched_tokens"
lesser = "max_num_seqs"
)";

constexpr std::string_view kSglang =
    R"(# SGLang: rankscope tune sglang --set model=PATH --slo ttft=1s,tpot=50ms -- MORE ARGUMENTS
name = "sglang"

[values]
model = ""

[trial]
start = ["python3", "-m", "sglang.launch_server", "--model-path", "${model}", "--host", "127.0.0.1", "--port", "${port}", "--enable-metrics", "${settings}", "${arguments}"]
ready = "/health"
ready_within_s = 1800
stop_within_s = 60

[parameters.max_running_requests]
flag = "--max-running-requests"
scale = "log2"
least = 16
most = 2048
default = 256
resolution = 2
raised_by = ["small-batches", "queueing"]
lowered_by = ["kv-cache-pressure", "prefill-interference"]

[parameters.chunked_prefill_size]
flag = "--chunked-prefill-size"
scale = "log2"
least = 512
most = 16384
default = 8192
resolution = 2
raised_by = ["small-batches", "queueing"]
lowered_by = ["small-batches", "queueing", "prefill-interference"]

[parameters.mem_fraction_static]
flag = "--mem-fraction-static"
scale = "linear"
least = 0.70
most = 0.95
default = 0.88
resolution = 0.01
raised_by = ["kv-cache-pressure"]

[parameters.schedule_conservativeness]
flag = "--schedule-conservativeness"
scale = "linear"
least = 0.3
most = 1.5
default = 1.0
resolution = 0.1
lowered_by = ["small-batches"]
raised_by = ["kv-cache-pressure"]

[parameters.schedule_policy]
flag = "--schedule-policy"
choices = ["fcfs", "lpm"]
default = "fcfs"
raised_by = ["prefix-cache-miss"]
)";

constexpr std::string_view kLlamaCpp =
    R"(# llama.cpp: rankscope tune llama.cpp --set model=FILE.gguf --slo ttft=2s,tpot=100ms
name = "llama.cpp"

[values]
model = ""
slot_tokens = "4096"     # context of a slot: -c is shared by all of them

[trial]
start = ["llama-server", "-m", "${model}", "--host", "127.0.0.1", "--port", "${port}", "--metrics", "${settings}", "${arguments}"]
ready = "/health"
ready_within_s = 600

[parameters.slots]
flag = "-np"
scale = "log2"
least = 1
most = 64
default = 4
resolution = 2
raised_by = ["small-batches", "queueing"]
lowered_by = ["kv-cache-pressure", "prefill-interference"]

[parameters.batch]
flag = "-b"
scale = "log2"
least = 256
most = 8192
default = 2048
resolution = 1
lowered_by = ["prefill-interference"]

[parameters.micro_batch]
flag = "-ub"
scale = "log2"
least = 64
most = 4096
default = 512
resolution = 1
raised_by = ["queueing"]

[[orders]]
greater = "batch"
lesser = "micro_batch"
)";

// A model's configuration comes with a load by the repository API, without a restart.
constexpr std::string_view kTriton =
    R"(# Triton: rankscope tune triton --set repository=FOLDER --set model=NAME --endpoint plain --path /v2/models/NAME/infer --body request.json --users 64
# A running Triton takes a model's configuration by its repository API (--model-control-mode explicit).
name = "triton"

[values]
repository = ""
model = ""

[trial]
start = ["tritonserver", "--model-repository", "${repository}", "--model-control-mode", "explicit", "--http-port", "${port}", "--allow-grpc", "false", "--allow-metrics", "false", "${arguments}"]
ready = "/v2/health/ready"
ready_within_s = 600
live = ["curl", "--silent", "--show-error", "--fail", "--max-time", "300", "--data-binary", '{"parameters": {"config": "{\"max_batch_size\": ${max_batch_size}, \"dynamic_batching\": {\"max_queue_delay_microseconds\": ${queue_delay_us}}, \"instance_group\": [{\"count\": ${instances}}]}"}}', "${url}/v2/repository/models/${model}/load"]

[parameters.max_batch_size]
scale = "log2"
least = 1
most = 128
default = 8
resolution = 1
restart = false
raised_by = ["small-batches", "queueing"]

[parameters.instances]
scale = "linear"
least = 1
most = 8
default = 1
resolution = 1
restart = false
raised_by = ["queueing"]

[parameters.queue_delay_us]
scale = "linear"
least = 0
most = 10000
default = 0
resolution = 500
restart = false
raised_by = ["small-batches"]
)";

constexpr std::string_view kSimulated =
    R"(# The simulated server, to try all of this without a GPU: rankscope tune simulate-server --slo ttft=1s,tpot=50ms
name = "simulate-server"

[values]
shape = "llama3-8b-a100"

[trial]
start = ["${rankscope}", "simulate-server", "--shape", "${shape}", "--port", "${port}", "${settings}", "${arguments}"]
ready = "/health"
ready_within_s = 60

[parameters.max_num_seqs]
flag = "--max-num-seqs"
scale = "log2"
least = 8
most = 1024
default = 32
resolution = 2
raised_by = ["small-batches", "queueing"]
lowered_by = ["kv-cache-pressure", "prefill-interference"]

[parameters.max_num_batched_tokens]
flag = "--max-num-batched-tokens"
scale = "log2"
least = 256
most = 16384
default = 8192
resolution = 2
raised_by = ["small-batches", "queueing"]
lowered_by = ["small-batches", "queueing", "prefill-interference"]

[parameters.gpu_memory_utilization]
flag = "--gpu-memory-utilization"
scale = "linear"
least = 0.80
most = 0.97
default = 0.90
resolution = 0.01
raised_by = ["kv-cache-pressure"]

[[orders]]
greater = "max_num_batched_tokens"
lesser = "max_num_seqs"
)";

constexpr std::array<BuiltInAdapter, 5> kAdapters = {{
    {"vllm", "vLLM, which starts anew for each setting", kVllm},
    {"sglang", "SGLang, likewise", kSglang},
    {"llama.cpp", "llama-server of llama.cpp, likewise", kLlamaCpp},
    {"triton", "Triton, whose models are loaded anew while it runs", kTriton},
    {"simulate-server", "rankscope simulate-server: to try this without a GPU", kSimulated},
}};

}  // namespace

std::span<const BuiltInAdapter> BuiltInAdapters() { return kAdapters; }

const BuiltInAdapter* FindBuiltInAdapter(std::string_view name) {
  const auto found = std::ranges::find(kAdapters, name, &BuiltInAdapter::name);
  return found == kAdapters.end() ? nullptr : &*found;
}

}  // namespace rankscope::tune
