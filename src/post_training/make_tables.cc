#include <algorithm>
#include <map>
#include <numeric>

#include "base/saturating.h"
#include "post_training/tables.h"
#include "schemas/post_training.h"
#include "statistics/statistics.h"
#include "table/or_null.h"

namespace rankscope::post_training {
namespace {

template <typename T>
TableOf<T> NewTable() {
  return SchemaOf<T>().NewTable(std::string(T::kName));
}

Value OrNull(Count value) { return value ? Value(*value) : Value(kNull); }
Value OrNull(Real value) { return value ? Value(*value) : Value(kNull); }
Value TimesHundred(Real value) { return value ? Value(100 * *value) : Value(kNull); }

Table FindingsTable(const Causes& causes) {
  const auto& schema = SchemaOf<PostFindings>();
  auto table = NewTable<PostFindings>();
  for (const Finding& finding : causes.findings) {
    table.Add({schema.id = std::string_view(finding.id), schema.severity = finding.severity(),
               schema.title = std::string_view(finding.title),
               schema.evidence = std::string_view(finding.evidence),
               schema.change = std::string_view(finding.change), schema.lost_pct = finding.lost_pct,
               schema.gain_pct = finding.gain_pct,
               schema.gain_method = TextOrNull(finding.gain_method),
               schema.gain_formula = TextOrNull(finding.gain_formula),
               schema.no_gain = TextOrNull(finding.no_gain)});
  }
  return table;
}

std::int64_t IdleOf(const RoleSteps& role) {
  std::int64_t idle = 0;
  for (std::size_t i = 0; i < kPhaseCount; ++i)
    if (IsIdle(static_cast<Phase>(i))) AddSaturating(idle, role.Total(static_cast<Phase>(i)));
  return idle;
}

Table RolesTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<PostRoles>();
  auto table = NewTable<PostRoles>();
  for (const RoleSteps& role : analysis.roles) {
    table.Add({schema.role = std::string_view(role.role), schema.kind = ToString(role.kind),
               schema.from = std::string_view(role.steps.front().is_of_record ? "record" : "log"),
               schema.gpus = OrNull(role.gpus), schema.steps = role.counted(),
               schema.step_ns = role.MeanWall(),
               schema.idle_pct = Percent(IdleOf(role), role.wall())});
  }
  for (const RoleTrace& trace : analysis.data.traces) {
    table.Add(
        {schema.role = std::string_view(trace.role),
         schema.kind = trace.kind.empty() ? Value(kNull) : Value(std::string_view(trace.kind)),
         schema.from = std::string_view("trace"), schema.ranks = trace.ranks,
         schema.steps = trace.steps, schema.step_ns = OrNull(trace.step_mean),
         schema.idle_pct =
             trace.busy_pct ? Value(std::max(0.0, 100 - *trace.busy_pct)) : Value(kNull),
         schema.busy_pct = OrNull(trace.busy_pct)});
  }
  return table;
}

Table PhasesTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<PostPhases>();
  auto table = NewTable<PostPhases>();
  for (const RoleSteps& role : analysis.roles) {
    const auto add = [&](std::string_view name, auto time_of) {
      std::vector<std::int64_t> times;
      std::int64_t total = 0, having = 0;
      for (const RoleStep& step : role.steps) {
        if (!step.is_counted) continue;
        times.push_back(time_of(step));
        having += times.back() > 0;
        AddSaturating(total, times.back());
      }
      if (times.empty() || (having == 0 && name != "total")) return;
      std::ranges::sort(times);
      const std::span<const std::int64_t> sorted(times);
      table.Add({schema.role = std::string_view(role.role), schema.phase = name,
                 schema.steps = having, schema.total_ns = total,
                 schema.share_pct = Percent(total, role.wall()),
                 schema.mean_ns = static_cast<double>(total) / static_cast<double>(times.size()),
                 schema.p50_ns = Quantile(sorted, 0.5), schema.p90_ns = Quantile(sorted, 0.9),
                 schema.max_ns = times.back()});
    };
    add("total", [](const RoleStep& step) { return step.wall; });
    for (std::size_t i = 0; i < kPhaseCount; ++i) {
      const auto phase = static_cast<Phase>(i);
      add(ToString(phase), [&](const RoleStep& step) { return At(step.phases, phase); });
    }
  }
  return table;
}

Table StepsTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<PostSteps>();
  auto table = NewTable<PostSteps>();
  for (const RoleSteps& role : analysis.roles) {
    for (const RoleStep& step : role.steps) {
      const StepFacts& facts = step.facts;
      Value uneven = kNull;
      if (facts.rank_tokens_mean && facts.rank_tokens_max && *facts.rank_tokens_max > 0)
        uneven = 100 * (1 - *facts.rank_tokens_mean / *facts.rank_tokens_max);
      const auto of = [&](Phase phase) { return At(step.phases, phase); };
      table.Add({schema.role = std::string_view(role.role),
                 schema.step = step.step,
                 schema.is_counted = step.is_counted,
                 schema.wall_ns = step.wall,
                 schema.generate_ns = of(Phase::kGenerate),
                 schema.wait_ns = of(Phase::kWait),
                 schema.train_ns = of(Phase::kTrain),
                 schema.log_prob_ns = of(Phase::kLogProb),
                 schema.reward_ns = of(Phase::kReward),
                 schema.sync_ns = of(Phase::kSync),
                 schema.reshard_ns = of(Phase::kReshard),
                 schema.checkpoint_ns = of(Phase::kCheckpoint),
                 schema.other_ns = of(Phase::kOther),
                 schema.unknown_ns = of(Phase::kUnknown),
                 schema.tokens = OrNull(facts.tokens),
                 schema.tokens_per_s = OrNull(facts.tokens_per_s),
                 schema.response_mean = OrNull(facts.response_mean),
                 schema.response_max = OrNull(facts.response_max),
                 schema.clipped_pct = TimesHundred(facts.clipped),
                 schema.staleness = OrNull(facts.staleness_mean),
                 schema.partial_pct = TimesHundred(facts.partial),
                 schema.rank_imbalance_pct = uneven});
    }
  }
  return table;
}

// Idle device time of all roles; nullopt where devices are not known.
Real IdleGpus(const Analysis& analysis) {
  double idle = 0, all = 0;
  for (const RoleSteps& role : analysis.roles) {
    if (!role.gpus && role.kind != RoleKind::kColocated) return std::nullopt;
    const auto gpus = static_cast<double>(role.gpus.value_or(1));
    idle += gpus * static_cast<double>(IdleOf(role));
    all += gpus * static_cast<double>(role.wall());
  }
  return all > 0 ? Real(100 * idle / all) : std::nullopt;
}

Table OverlapTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<PostOverlap>();
  auto table = NewTable<PostOverlap>();
  if (!analysis.overlap) return table;
  const Overlap& overlap = *analysis.overlap;
  const char* layout = !overlap.is_split               ? "colocated"
                       : overlap.OverlapShare() >= 0.5 ? "split side by side"
                                                       : "split in turns";
  const auto& best = overlap.best;
  table.Add({schema.layout = std::string_view(layout), schema.steps = overlap.steps,
             schema.step_ns = overlap.step, schema.generate_ns = overlap.generate,
             schema.train_ns = overlap.train, schema.sync_ns = overlap.sync,
             schema.wait_ns = overlap.wait, schema.overlap_pct = 100 * overlap.OverlapShare(),
             schema.async_bound = overlap.AsyncBound(),
             schema.generate_gpus = OrNull(overlap.generate_gpus),
             schema.train_gpus = OrNull(overlap.train_gpus),
             schema.best_generate_gpus = best ? Value(best->generate_gpus) : Value(kNull),
             schema.best_step_ns = best ? Value(best->step) : Value(kNull),
             schema.idle_gpu_pct = OrNull(IdleGpus(analysis))});
  return table;
}

Table TailTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<PostTail>();
  auto table = NewTable<PostTail>();
  for (const Batch& batch : analysis.batches.batches) {
    const bool has_replicas = !batch.replicas.empty();
    table.Add({schema.step = OrNull(batch.step), schema.samples = batch.samples,
               schema.slots = batch.slots, schema.duration_ns = batch.duration(),
               schema.longest_ns = batch.longest, schema.tail_ns = batch.tail,
               schema.idle_pct = 100 * batch.tail_idle, schema.gain_p95_ns = batch.gain_p95,
               schema.gain_partial_ns = batch.gain_partial, schema.gain_more_ns = batch.gain_more,
               schema.imbalance_pct = has_replicas ? Value(100 * batch.imbalance) : Value(kNull),
               schema.chance_pct = has_replicas ? Value(100 * batch.by_chance) : Value(kNull),
               schema.gain_even_ns = has_replicas ? Value(batch.gain_even) : Value(kNull),
               schema.tools_pct = batch.tools ? Percent(*batch.tools, batch.sample_time) : kNull});
  }
  return table;
}

Table ReplicasTable(const Analysis& analysis) {
  struct Sum {
    std::int64_t batches = 0, samples = 0, tokens = 0;
    double end = 0;
  };
  std::map<std::string, Sum> sums;
  std::int64_t all = 0;
  for (const Batch& batch : analysis.batches.batches) {
    for (const ReplicaLoad& load : batch.replicas) {
      Sum& sum = sums[load.replica];
      ++sum.batches;
      sum.samples += load.samples;
      AddSaturating(sum.tokens, load.tokens);
      AddSaturating(all, load.tokens);
      sum.end += static_cast<double>(load.end);
    }
  }
  const auto& schema = SchemaOf<PostReplicas>();
  auto table = NewTable<PostReplicas>();
  for (const auto& [replica, sum] : sums) {
    table.Add({schema.replica = std::string_view(replica), schema.batches = sum.batches,
               schema.samples = sum.samples, schema.tokens = sum.tokens,
               schema.share_pct = Percent(sum.tokens, all),
               schema.end_ns = sum.end / static_cast<double>(sum.batches)});
  }
  return table;
}

Table StalenessTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<PostStaleness>();
  auto table = NewTable<PostStaleness>();
  std::int64_t all = 0;
  for (const StalenessBin& bin : analysis.staleness.bins) all += bin.samples;
  for (const StalenessBin& bin : analysis.staleness.bins)
    table.Add({schema.versions = bin.versions, schema.samples = bin.samples,
               schema.share_pct = Percent(bin.samples, all)});
  return table;
}

Table PaddingTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<PostPadding>();
  auto table = NewTable<PostPadding>();
  if (analysis.padding)
    table.Add({schema.sequences = analysis.padding->sequences,
               schema.micro_batches = analysis.padding->micro_batches,
               schema.tokens = analysis.padding->tokens,
               schema.padded_tokens = analysis.padding->padded,
               schema.padding_pct = 100 * analysis.padding->Share()});
  return table;
}

Table RolloutsTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<PostRollouts>();
  auto table = NewTable<PostRollouts>();
  std::vector<const Rollout*> sorted;
  for (const Rollout& rollout : analysis.data.rollouts) sorted.push_back(&rollout);
  std::ranges::stable_sort(sorted, {}, &Rollout::begin);
  for (const Rollout* one : sorted) {
    table.Add({schema.rollout = TextOrNull(one->id), schema.step = OrNull(one->step),
               schema.replica = TextOrNull(one->replica),
               schema.begin_ns = one->begin - sorted.front()->begin,
               schema.duration_ns = one->end - one->begin,
               schema.prompt_tokens = OrNull(one->prompt_tokens),
               schema.response_tokens = OrNull(one->response_tokens),
               schema.tools_ns = OrNull(one->tools),
               schema.weight_version = OrNull(one->weight_version),
               schema.trained_version = OrNull(one->trained_version), schema.is_cut = one->is_cut});
  }
  return table;
}

Table SourcesTable(const PostData& data) {
  const auto& schema = SchemaOf<PostSources>();
  auto table = NewTable<PostSources>();
  for (const Source& source : data.sources)
    table.Add({schema.path = std::string_view(source.path),
               schema.format = std::string_view(source.format), schema.records = source.records});
  return table;
}

Table NotesTable(const Study& study) {
  const auto& schema = SchemaOf<PostNotes>();
  auto table = NewTable<PostNotes>();
  for (const std::string& note : study.analysis.data.notes)
    table.Add({schema.note = std::string_view(note), schema.is_unchecked = false});
  for (const std::string& note : study.causes.unchecked)
    table.Add({schema.note = std::string_view(note), schema.is_unchecked = true});
  return table;
}

}  // namespace

std::vector<Table> MakeTables(const Study& study) {
  const Analysis& analysis = study.analysis;
  std::vector<Table> tables;
  tables.push_back(FindingsTable(study.causes));
  tables.push_back(RolesTable(analysis));
  tables.push_back(PhasesTable(analysis));
  tables.push_back(OverlapTable(analysis));
  tables.push_back(TailTable(analysis));
  tables.push_back(ReplicasTable(analysis));
  tables.push_back(StalenessTable(analysis));
  tables.push_back(PaddingTable(analysis));
  tables.push_back(StepsTable(analysis));
  tables.push_back(RolloutsTable(analysis));
  tables.push_back(SourcesTable(analysis.data));
  tables.push_back(NotesTable(study));
  return tables;
}

}  // namespace rankscope::post_training
