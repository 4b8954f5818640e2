#include "post_training/inputs/interpret.h"

#include <algorithm>
#include <string>

#include "base/saturating.h"
#include "base/text.h"
#include "serving/base/words.h"

namespace rankscope::post_training {
namespace {

constexpr std::string_view kTimed = "timing_s/";
constexpr std::string_view kProfiled = "profiling/Time taken: ";

Ns Seconds(std::optional<double> seconds) {
  return seconds ? serving::ToNs(*seconds, 1e9) : std::nullopt;
}

void Add(Ns& to, Ns more) {
  if (more) to = SaturatingAdd(to.value_or(0), *more);
}
void Add(LogStep& step, Phase phase, Ns more) {
  Add(step.phases[static_cast<std::size_t>(phase)], more);
}

// Of the names, the first that is there.
Real First(const MetricRow& row, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto value = row.Find(name)) return value;
  return std::nullopt;
}

Real AtLeastZero(Real value) { return value && *value >= 0 ? value : std::nullopt; }

StepFacts VerlFacts(const MetricRow& row) {
  const auto find = [&](auto... names) { return AtLeastZero(First(row, {names...})); };
  return {.tokens = find("perf/total_num_tokens"),
          .tokens_per_s = find("perf/throughput"),
          .step_s = find("perf/time_per_step"),
          .prompt_mean = find("prompt_length/mean"),
          .response_mean = find("response_length/mean"),
          .response_max = find("response_length/max"),
          .clipped = find("response_length/clip_ratio"),
          .sample_mean_s = find("timing_s/agent_loop/generate_sequences/mean"),
          .sample_max_s = find("timing_s/agent_loop/generate_sequences/max",
                               "timing_s/agent_loop/slowest/generate_sequences"),
          .tool_mean_s = find("timing_s/agent_loop/tool_calls/mean"),
          .staleness_mean = find("training/off_policy/trajectory_staleness",
                                 "training/off_policy/trajectory_staleness/mean",
                                 "fully_async/staleness/response_staleness_mean"),
          .staleness_max = find("training/off_policy/trajectory_staleness/max",
                                "fully_async/staleness/response_staleness_max"),
          .stale_samples = find("fully_async/count/stale_samples_processed"),
          .partial = find("fully_async/partial/partial_ratio"),
          .rank_tokens_mean = find("global_seqlen/mean"),
          .rank_tokens_max = find("global_seqlen/balanced_max", "global_seqlen/max")};
}

LogStep VerlStep(const MetricRow& row) {
  LogStep step{.facts = VerlFacts(row)};
  const bool is_async = row.HasPrefix("fully_async/");
  const bool is_one_off = row.Find("timing_s/wait_prev_gen").has_value();
  if (is_async || is_one_off) step.layout = Layout::kSplit;
  Ns generated, reshard;
  for (const auto& [full, value] : row.values) {
    std::string_view name = full;
    if (!name.starts_with(kTimed)) continue;
    // Fully asynchronous trainers write "timing_s/timing_s/param_sync".
    while (name.starts_with(kTimed)) name.remove_prefix(kTimed.size());
    const Ns time = Seconds(value);
    if (name == "step") {
      step.wall = time;
    } else if (name == "gen" || name == "gen_max") {
      if (is_async) {
        Add(step, Phase::kWait, time);
      } else if (is_one_off) {
        Add(step.generator_busy, time);
      } else {
        Add(step, Phase::kGenerate, time);
      }
    } else if (name == "generate_sequences") {
      generated = time;
    } else if (name == "reshard") {
      reshard = time;
    } else if (name == "testing" || name == "dump_rollout_generations") {
      Add(step.beside, time);
    } else if (name == "param_sync") {
      Add(step.sync_beside, time);
    } else if (const auto phase = PhaseOf(name);
               phase && *phase != Phase::kUnknown && *phase != Phase::kGenerate) {
      Add(step, *phase, time);
    }
  }
  if (!step.wall) step.wall = Seconds(row.Find("perf/time_per_step"));
  Ns& generate = step.phases[static_cast<std::size_t>(Phase::kGenerate)];
  if (generate && reshard) {
    const std::int64_t inside = std::min(*generate, *reshard);
    *generate -= inside;
    Add(step, Phase::kReshard, inside);
  }
  if (is_one_off && !step.generator_busy) {
    step.generator_busy = generated ? generated
                                    : Seconds(First(row, {"timing_s/generation_timing/max",
                                                          "timing_s/agent_loop/"
                                                          "generate_sequences/max"}));
  }
  if (is_async) {
    step.generator_wall = Seconds(row.Find("fully_async/rollouter/version_time"));
    step.generator_busy = Seconds(row.Find("fully_async/rollouter/active_time"));
    const Ns wall = step.generator_wall ? step.generator_wall : step.wall;
    const auto idle = row.Find("fully_async/rollouter/idle_ratio");
    if (!step.generator_busy && wall && idle && *idle >= 0 && *idle <= 1)
      step.generator_busy = serving::ToNs((1 - *idle) * static_cast<double>(*wall), 1);
  }
  return step;
}

LogStep TrlStep(const MetricRow& row) {
  LogStep step;
  Ns prepare, log_probs, loss;
  for (const auto& [full, value] : row.values) {
    std::string_view name = full;
    if (!name.starts_with(kProfiled)) continue;
    name = name.substr(std::min(name.rfind('.'), name.size() - 1) + 1);
    // "GRPOTrainer.vLLM.generate" and "GRPOTrainer.transformers.generate".
    const Ns time = Seconds(value);
    if (name == "generate" || name == "generate_batch" || name == "generate_paged") {
      Add(step, Phase::kGenerate, time);
    } else if (name == "_move_model_to_vllm" || name == "sync_weights") {
      Add(step, Phase::kSync, time);
    } else if (name == "_calculate_rewards") {
      Add(step, Phase::kReward, time);
    } else if (name.starts_with("_get_per_token_logps")) {
      Add(log_probs, time);
    } else if (name == "_prepare_inputs") {
      Add(prepare, time);
    } else if (name == "compute_loss") {
      Add(loss, time);
    }
  }
  step.wall = Seconds(First(row, {"train/step_time", "step_time"}));
  std::int64_t inside = 0;
  for (const Ns& part : step.phases) AddSaturating(inside, part.value_or(0));
  if (prepare) {
    // Log-probabilities are computed in here and in the loss, under one name: what of them does not
    // fit beside the other phases of the preparation was the loss's.
    if (log_probs)
      Add(step, Phase::kLogProb,
          std::clamp<std::int64_t>(SaturatingSubtract(*prepare, inside), 0, *log_probs));
    if (step.wall && *step.wall >= *prepare) {
      Add(step, Phase::kTrain, *step.wall - *prepare);
    } else {
      Add(step, Phase::kTrain, loss);
      if (!step.wall && loss) step.wall = SaturatingAdd(std::max(*prepare, inside), *loss);
    }
  } else {
    Add(step, Phase::kTrain, loss);
  }
  const auto find = [&](auto... names) { return AtLeastZero(First(row, {names...})); };
  step.facts = {.response_mean = find("train/completions/mean_length", "completions/mean_length"),
                .response_max = find("train/completions/max_length", "completions/max_length"),
                .clipped = find("train/completions/clipped_ratio", "completions/clipped_ratio")};
  return step;
}

LogStep OpenRlhfStep(const MetricRow& row) {
  LogStep step;
  const Ns generation = Seconds(row.Find("timing/generation"));
  step.wall = Seconds(row.Find("timing/step_total"));
  Add(step, Phase::kLogProb, Seconds(row.Find("timing/make_experience")));
  Add(step, Phase::kTrain, Seconds(row.Find("timing/ppo_train")));
  Add(step, Phase::kSync, Seconds(row.Find("timing/broadcast")));
  std::int64_t others = 0;
  for (const Ns& part : step.phases) AddSaturating(others, part.value_or(0));
  if (generation && step.wall &&
      SaturatingAdd(others, *generation) > SaturatingAdd(*step.wall, *step.wall / 100)) {
    step.layout = Layout::kSplit;
    step.generator_busy = std::min(*generation, *step.wall);
  } else {
    Add(step, Phase::kGenerate, generation);
  }
  step.facts = {.response_mean = AtLeastZero(row.Find("response_length"))};
  return step;
}

LogStep TorchforgeStep(const MetricRow& row) {
  LogStep step{.layout = Layout::kSplit};
  const auto of = [&](std::string_view name) {
    return Seconds(row.Find("main_perf/continuous_training/" + std::string(name)));
  };
  step.wall = of("total_duration_avg_s");
  Add(step, Phase::kWait, of("waiting_for_buffer/duration_avg_s"));
  const Ns train = of("train_step/duration_avg_s");
  Add(step, Phase::kTrain,
      train ? train : Seconds(row.Find("rl_trainer_perf/step/total_duration_avg_s")));
  const Ns push = of("push_weights/duration_avg_s"), load = of("update_weights/duration_avg_s");
  if (push || load) {
    Add(step, Phase::kSync, push);
    Add(step, Phase::kSync, load);
  } else {
    step.sync_beside = Seconds(row.Find("weight_sync/time_seconds"));
  }
  return step;
}

}  // namespace

std::string_view ToString(Framework framework) {
  switch (framework) {
    case Framework::kVerl:
      return "veRL";
    case Framework::kTrl:
      return "TRL";
    case Framework::kOpenRlhf:
      return "OpenRLHF";
    case Framework::kTorchforge:
      return "torchforge";
  }
  return "";
}

std::optional<Framework> FrameworkOf(const MetricRow& row) {
  if (row.HasPrefix(kTimed) || row.HasPrefix("fully_async/")) return Framework::kVerl;
  if (row.HasPrefix(kProfiled) || row.Find("step_time") || row.Find("train/step_time"))
    return Framework::kTrl;
  if (row.Find("timing/step_total") || row.Find("timing/generation") ||
      row.Find("timing/make_experience") || row.Find("timing/ppo_train"))
    return Framework::kOpenRlhf;
  if (row.HasPrefix("main_perf/continuous_training/") || row.HasPrefix("rl_trainer_perf/") ||
      row.HasPrefix("weight_sync/"))
    return Framework::kTorchforge;
  return std::nullopt;
}

LogStep StepOf(const MetricRow& row, Framework framework) {
  LogStep step;
  switch (framework) {
    case Framework::kVerl:
      step = VerlStep(row);
      break;
    case Framework::kTrl:
      step = TrlStep(row);
      break;
    case Framework::kOpenRlhf:
      step = OpenRlhfStep(row);
      break;
    case Framework::kTorchforge:
      step = TorchforgeStep(row);
      break;
  }
  step.step = row.step.value_or(0);
  return step;
}

}  // namespace rankscope::post_training
