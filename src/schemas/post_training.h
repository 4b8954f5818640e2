// The tables of `rankscope post-training` (src/post_training): how a run's roles spend their time,
// how generation and training overlap, and results on rollouts.
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

struct PostFindings : Schema<PostFindings> {
  static constexpr std::string_view kName = "post_findings";

  StringColumn id = Text("id", "of the finding; rankscope explain ID");
  StringColumn severity = Text("severity", "high, medium or low");
  StringColumn title = Text("title", "what is wrong, in a sentence");
  StringColumn evidence = Text("evidence", "what shows it");
  StringColumn change = Text("change", "what to change");
  RealColumn lost_pct = Real("lost_pct", "%", "of the step's time that goes there");
  RealColumn gain_pct =
      Real("gain_pct", "%",
           "less time of a step with the change (of generation or training where no step's time is "
           "known, as gain_formula says); null: no_gain says why");
  StringColumn gain_method = Text("gain_method", "computed, or bound: never more than that");
  StringColumn gain_formula = Text("gain_formula", "how the gain comes about, with its numbers");
  StringColumn no_gain = Text("no_gain", "why no gain is stated");
};
extern template const PostFindings& SchemaOf<PostFindings>();

struct PostRoles : Schema<PostRoles> {
  static constexpr std::string_view kName = "post_roles";

  StringColumn role = Text("role", "as the recording calls it");
  StringColumn kind = Text("kind", "colocated (generates and trains), trainer, generator or other");
  StringColumn from = Text("from", "log, record or trace");
  IntColumn gpus = Int("gpus", "", "devices of the role; null: not known");
  IntColumn ranks = Int("ranks", "", "of traces: ranks, counted from 0 in each role");
  IntColumn steps = Int("steps", "", "that are counted; a slow first one is not");
  RealColumn step_ns = Real("step_ns", "ns", "mean wall time of a step");
  RealColumn idle_pct = Real(
      "idle_pct", "%",
      "of the wall time in phases in which the role's devices have nothing of their own to do: "
      "wait, reward, checkpoint; of traces: 100 - busy");
  RealColumn busy_pct =
      Real("busy_pct", "%",
           "of traces: of the devices' observed time; null below 10 steps of an engine");
};
extern template const PostRoles& SchemaOf<PostRoles>();

struct PostPhases : Schema<PostPhases> {
  static constexpr std::string_view kName = "post_phases";

  StringColumn role = Text("role", "as the recording calls it");
  StringColumn phase = Text("phase",
                            "total, generate, wait, train, log_prob, reward, sync, reshard, "
                            "checkpoint, other, unknown");
  IntColumn steps = Int("steps", "", "that have some of it");
  IntColumn total_ns = Int("total_ns", "ns", "in all counted steps; phases sum to total");
  RealColumn share_pct = Real("share_pct", "%", "of the role's wall time");
  RealColumn mean_ns = Real("mean_ns", "ns", "of a step, 0 where a step has none of it");
  RealColumn p50_ns = Real("p50_ns", "ns", "median over steps");
  RealColumn p90_ns = Real("p90_ns", "ns", "nine tenths of the steps are below");
  IntColumn max_ns = Int("max_ns", "ns", "of the step with the most");
};
extern template const PostPhases& SchemaOf<PostPhases>();

struct PostSteps : Schema<PostSteps> {
  static constexpr std::string_view kName = "post_steps";

  StringColumn role = Text("role", "as the recording calls it");
  IntColumn step = Int("step", "", "its number");
  FlagColumn is_counted =
      Flag("is_counted", "false: a first step that takes over 1.5 times the median of the others");
  IntColumn wall_ns = Int("wall_ns", "ns", "of the step; the columns up to unknown_ns sum to it");
  IntColumn generate_ns = Int("generate_ns", "ns", "generating samples");
  IntColumn wait_ns =
      Int("wait_ns", "ns", "a trainer for samples, a generator for weights or until it may go on");
  IntColumn train_ns = Int("train_ns", "ns", "forward, backward and optimizer");
  IntColumn log_prob_ns = Int("log_prob_ns", "ns", "old and reference log-probabilities, values");
  IntColumn reward_ns = Int("reward_ns", "ns", "rewards and tools");
  IntColumn sync_ns = Int("sync_ns", "ns", "weights from trainer to generator");
  IntColumn reshard_ns = Int("reshard_ns", "ns", "the engine sleeps, wakes, loads its layout");
  IntColumn checkpoint_ns = Int("checkpoint_ns", "ns", "saving in the loop");
  IntColumn other_ns = Int("other_ns", "ns", "named, and none of these: advantages, validation");
  IntColumn unknown_ns = Int("unknown_ns", "ns", "not told");
  RealColumn tokens = Real("tokens", "tokens", "prompts and responses of the step, as logged");
  RealColumn tokens_per_s = Real("tokens_per_s", "1/s", "of a device, as logged");
  RealColumn response_mean = Real("response_mean", "tokens", "of a response");
  RealColumn response_max = Real("response_max", "tokens", "of the longest response");
  RealColumn clipped_pct = Real("clipped_pct", "%", "of the responses, that hit the limit");
  RealColumn staleness = Real("staleness", "", "mean versions between making and training");
  RealColumn partial_pct = Real("partial_pct", "%", "of the samples, that were interrupted");
  RealColumn rank_imbalance_pct =
      Real("rank_imbalance_pct", "%", "1 - mean / max of the tokens of the trainer's ranks");
};
extern template const PostSteps& SchemaOf<PostSteps>();

struct PostOverlap : Schema<PostOverlap> {
  static constexpr std::string_view kName = "post_overlap";

  StringColumn layout =
      Text("layout",
           "colocated, split in turns, or split side by side (half or more of what could lie "
           "beside the other does)");
  IntColumn steps = Int("steps", "", "that are counted");
  RealColumn step_ns = Real("step_ns", "ns", "Z: mean step of the trainer");
  RealColumn generate_ns = Real("generate_ns", "ns", "G: generating the samples of a step");
  RealColumn train_ns =
      Real("train_ns", "ns", "B: split, Z - W - S; colocated, training and log-probabilities");
  RealColumn sync_ns = Real("sync_ns", "ns", "S: exposed weight sync");
  RealColumn wait_ns = Real("wait_ns", "ns", "W: the trainer waits for samples");
  RealColumn overlap_pct =
      Real("overlap_pct", "%", "of min(G, B), generation and training at once");
  RealColumn async_bound =
      Real("async_bound", "",
           "(G + B) / max(G, B): speed-up of roles side by side; a colocated layout needs as many "
           "devices again for it");
  IntColumn generate_gpus = Int("generate_gpus", "", "devices of the generator, where known");
  IntColumn train_gpus = Int("train_gpus", "", "devices of the trainer, where known");
  IntColumn best_generate_gpus =
      Int("best_generate_gpus", "", "of all of them, with which the step would be shortest");
  RealColumn best_step_ns =
      Real("best_step_ns", "ns", "the least mean step by the definition's formula");
  RealColumn idle_gpu_pct = Real("idle_gpu_pct", "%",
                                 "idle device time of all roles over all of it, where devices are "
                                 "known or the layout is colocated");
};
extern template const PostOverlap& SchemaOf<PostOverlap>();

struct PostTail : Schema<PostTail> {
  static constexpr std::string_view kName = "post_tail";

  IntColumn step = Int("step", "", "that trains on the samples; null where records tell none");
  IntColumn samples = Int("samples", "", "of the batch");
  IntColumn slots = Int("slots", "", "most samples that are under way at one time");
  IntColumn duration_ns = Int("duration_ns", "ns", "D: first begin to last end");
  IntColumn longest_ns = Int("longest_ns", "ns", "longest sample");
  IntColumn tail_ns = Int("tail_ns", "ns", "from when fewer than half of the slots stay active");
  RealColumn idle_pct = Real("idle_pct", "%", "slot-time that is idle in the tail, of slots x D");
  IntColumn gain_p95_ns = Int("gain_p95_ns", "ns", "less time when it ends with 95 % of samples");
  IntColumn gain_partial_ns =
      Int("gain_partial_ns", "ns", "D - time of samples / slots: partial rollouts, at most");
  IntColumn gain_more_ns =
      Int("gain_more_ns", "ns", "when a quarter more are begun and the first are kept");
  RealColumn imbalance_pct = Real("imbalance_pct", "%", "1 - mean / max of the replicas' tokens");
  RealColumn chance_pct =
      Real("chance_pct", "%", "of that, what lengths drawn at random would make");
  IntColumn gain_even_ns = Int("gain_even_ns", "ns", "less time with even replicas, at most");
  RealColumn tools_pct = Real("tools_pct", "%", "of the samples' time, in tools; slots are held");
};
extern template const PostTail& SchemaOf<PostTail>();

struct PostReplicas : Schema<PostReplicas> {
  static constexpr std::string_view kName = "post_replicas";

  StringColumn replica = Text("replica", "of the generator");
  IntColumn batches = Int("batches", "", "in which it generates");
  IntColumn samples = Int("samples", "", "in all");
  IntColumn tokens = Int("tokens", "tokens", "of their responses");
  RealColumn share_pct = Real("share_pct", "%", "of all replicas' tokens");
  RealColumn end_ns = Real("end_ns", "ns", "mean moment of its last end, from the batch's begin");
};
extern template const PostReplicas& SchemaOf<PostReplicas>();

struct PostStaleness : Schema<PostStaleness> {
  static constexpr std::string_view kName = "post_staleness";

  IntColumn versions =
      Int("versions", "", "of weights between those that made a sample and those that it trains");
  IntColumn samples = Int("samples", "", "that are as old");
  RealColumn share_pct = Real("share_pct", "%", "of those that tell both versions");
};
extern template const PostStaleness& SchemaOf<PostStaleness>();

struct PostPadding : Schema<PostPadding> {
  static constexpr std::string_view kName = "post_padding";

  IntColumn sequences = Int("sequences", "", "of supervised steps (SFT, DPO)");
  IntColumn micro_batches = Int("micro_batches", "", "in which they are padded");
  IntColumn tokens = Int("tokens", "tokens", "of the sequences");
  IntColumn padded_tokens = Int("padded_tokens", "tokens", "with padding");
  RealColumn padding_pct = Real("padding_pct", "%", "1 - tokens / padded_tokens");
};
extern template const PostPadding& SchemaOf<PostPadding>();

struct PostRollouts : Schema<PostRollouts> {
  static constexpr std::string_view kName = "post_rollouts";

  StringColumn rollout = Text("rollout", "as its record calls it; null where it has no name");
  IntColumn step = Int("step", "", "that trains on it");
  StringColumn replica = Text("replica", "that generates it");
  IntColumn begin_ns = Int("begin_ns", "ns", "since the first begin of all");
  IntColumn duration_ns = Int("duration_ns", "ns", "to its last token");
  IntColumn prompt_tokens = Int("prompt_tokens", "tokens", "of the prompt");
  IntColumn response_tokens = Int("response_tokens", "tokens", "generated");
  IntColumn tools_ns = Int("tools_ns", "ns", "in tools");
  IntColumn weight_version = Int("weight_version", "", "of the weights with which it was begun");
  IntColumn trained_version = Int("trained_version", "", "of the weights that it trains");
  FlagColumn is_cut = Flag("is_cut", "ended at its limit, or aborted");
};
extern template const PostRollouts& SchemaOf<PostRollouts>();

struct PostSources : Schema<PostSources> {
  static constexpr std::string_view kName = "post_sources";

  StringColumn path = Text("path", "the file or folder");
  StringColumn format = Text("format", "what it holds");
  IntColumn records = Int("records", "", "steps, phases, rollouts or sequences in it");
};
extern template const PostSources& SchemaOf<PostSources>();

struct PostNotes : Schema<PostNotes> {
  static constexpr std::string_view kName = "post_notes";

  StringColumn note = Text("note", "what the inputs lack or say oddly, or what was not evaluated");
  FlagColumn is_unchecked = Flag("is_unchecked", "of a finding that could not be looked for");
};
extern template const PostNotes& SchemaOf<PostNotes>();

}  // namespace rankscope
