#include "sim/serving/server_truth.h"

#include "json/writer.h"

namespace rankscope::sim {
namespace {

void WriteSettings(json::Writer& writer, const ServerFacts& facts, std::int64_t blocks) {
  const EngineSettings& settings = facts.settings;
  writer.Line().Key("settings").BeginObject();
  writer.Member("max_num_seqs", settings.max_num_seqs);
  writer.Member("max_num_batched_tokens", settings.max_num_batched_tokens);
  writer.Member("max_model_len", settings.ModelLen(facts.shape));
  writer.Member("long_prefill_token_threshold", settings.long_prefill_token_threshold);
  writer.Member("gpu_memory_utilization", settings.gpu_memory_utilization);
  writer.Member("enforce_eager", settings.enforces_eager);
  writer.Member("enable_prefix_caching", settings.caches_prefixes);
  writer.Member("enable_chunked_prefill", settings.chunks_prompts);
  writer.Member("kv_blocks", blocks).Member("block_tokens", EngineSettings::kBlockTokens);
  writer.EndObject();
}

void WriteSteps(json::Writer& writer, const ServerFacts& facts, const RequestMix& mix) {
  const std::int64_t context = mix.prompt_tokens + mix.output_tokens / 2;
  writer.Line().Key("decode_steps").BeginArray();
  for (std::int64_t running = 1; running <= facts.settings.max_num_seqs; running *= 2) {
    const StepWork work{.tokens = running, .decode_context = running * context};
    const double ns = StepNs(facts.shape, work, facts.settings.enforces_eager);
    writer.BeginObject().Member("running", running);
    writer.Member("ms", ns * 1e-6 / facts.time_scale).EndObject();
  }
  writer.EndArray();
}

void WriteCapacity(json::Writer& writer, const Capacity& found, double time_scale) {
  writer.Line().Key("capacity").BeginObject();
  writer.Member("requests_per_s", found.requests_per_s * time_scale);
  writer.Member("mean_running", found.mean_running);
  writer.Member("preemptions_per_request", found.preemptions_per_request).EndObject();
}

}  // namespace

Result<std::string> ServerTruth(const ServerFacts& facts, const RequestMix& mix) {
  RS_ASSIGN_OR_RETURN(const std::int64_t blocks, KvBlocks(facts.shape, facts.settings));
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Line().Member("schema", "rankscope.server_truth/1");
  writer.Line().Member("shape", facts.shape.name);
  writer.Line().Member("seed", facts.noise.seed).Member("noise", facts.noise.sigma);
  writer.Member("stall_chance", facts.noise.stall_chance).Member("time_scale", facts.time_scale);
  WriteSettings(writer, facts, blocks);
  writer.Line().Key("mix").BeginObject().Member("prompt_tokens", mix.prompt_tokens);
  writer.Member("output_tokens", mix.output_tokens).EndObject();
  WriteSteps(writer, facts, mix);
  Capacity found{.dies = true};
  if (!facts.shape.is_null()) {
    RS_ASSIGN_OR_RETURN(found, FindCapacity(facts.shape, facts.settings, mix));
  }
  if (found.dies) {
    writer.Line().Key("capacity").Null();
  } else {
    WriteCapacity(writer, found, facts.time_scale);
  }
  writer.Line().EndObject();
  return json + "\n";
}

}  // namespace rankscope::sim
