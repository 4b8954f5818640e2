#include "post_training/tables.h"

#include <fmt/core.h>

#include <utility>

#include "schemas/post_training.h"

namespace rankscope::post_training {
namespace {

template <typename T>
TableEntry Of(std::string summary, std::string definition, bool is_detail = false) {
  return {.name = std::string(T::kName),
          .summary = std::move(summary),
          .definition = std::move(definition),
          .example = fmt::format("rankscope post-training run/ --table {}", T::kName),
          .subject = Subject::kPostTraining,
          .columns = SchemaOf<T>().columns(),
          .is_detail = is_detail};
}

}  // namespace

std::span<const TableEntry> PostTrainingTableList() {
  static const std::vector<TableEntry> kTables = {
      Of<PostFindings>(
          "what wastes the devices of a post-training run, what shows it and what to change",
          "A row for each finding, by gain. Gains are shares of the mean step (of a trainer, or of "
          "colocated roles), by the formula that stands with them. Pages: rankscope explain ID."),
      Of<PostRoles>(
          "the roles of the run, and how much of them is idle",
          "A row for each role, and one for each folder of traces. idle_pct = (wait + reward + "
          "checkpoint) / wall; of a reward model on the same devices it is an upper bound. Ranks "
          "of traces restart at 0 in each role and are not merged."),
      Of<PostPhases>(
          "where the wall time of each role goes",
          "A row for each role and phase, and their total. The phases of a step are a partition: "
          "they sum to its wall time exactly, and what no recording tells is unknown. Of records, "
          "a moment that several phases of a role cover belongs to the first of train, log_prob, "
          "generate, sync, reshard, checkpoint, reward, other, wait."),
      Of<PostOverlap>(
          "how generation and training lie beside each other, and the best split of devices",
          "One row, where both are known. Z, G, B, S, W are means of a step. Split roles overlap "
          "by what records have at once, of logs by G - W. best_step_ns = min over g of the mean "
          "over steps of max(G g0 / g, T t0 / (N - g) + F) + S: T a step's training and "
          "log-probabilities, F what else the trainer does but waiting and sync. It takes work to "
          "scale with devices, so it is a bound."),
      Of<PostTail>(
          "how full the generator's slots are, and how long the tail of each batch is",
          "A row for each step's rollouts. slots is the greatest number under way at one time; the "
          "tail begins when fewer than half of them stay active. idle_pct = (slots x tail - time "
          "of samples in it) / (slots x D). gain_more_ns = D - the 80 % quantile of ends, and "
          "assumes room for a quarter more samples. gain_even_ns = D - max(D x mean / max of "
          "tokens, the longest sample)."),
      Of<PostReplicas>("how evenly the generator's replicas are loaded",
                       "A row for each replica; batches whose samples all tell replica and "
                       "response_tokens count."),
      Of<PostStaleness>(
          "how old the weights were that made the samples",
          "A row for each number of versions. An information, not a cost. Logs tell means alone: "
          "post_steps."),
      Of<PostPadding>(
          "how much of supervised steps is padding",
          "One row, where sequences were recorded. A sequence is padded to what its record states, "
          "else to the longest of its step and micro-batch."),
      Of<PostSteps>("every step of every role with its phases",
                    "A row for each role and step. The phases sum to wall_ns. Numbers beside times "
                    "are those of the trainer's log.",
                    true),
      Of<PostRollouts>("every sample", "A row for each rollout of a record, by begin.", true),
      Of<PostSources>("what was read", "A row for each file and kind of record in it."),
      Of<PostNotes>(
          "what the recordings do not say, or say oddly",
          "A sentence for each thing that was passed over or limits the other tables, and for each "
          "finding that could not be looked for."),
  };
  return kTables;
}

}  // namespace rankscope::post_training
