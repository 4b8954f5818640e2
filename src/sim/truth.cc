#include "sim/truth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <numeric>

#include "base/file.h"

namespace rankscope::sim {
namespace {

std::vector<int> UpTo(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::string OptionsJson(const JobPlan& plan) {
  const SimulateOptions& options = plan.options();
  return fmt::format(
      "  \"options\": {{\"job\": \"{}\", \"ranks\": {}, \"steps\": {}, "
      "\"events_per_rank\": {}, \"seed\": \"{}\", \"clock_offset_max_ns\": {}, "
      "\"clock_drift_max_ppb\": {}, \"compress\": {}, \"cuda_graphs\": {}, \"run_ahead\": {}, "
      "\"stacks\": {}}},\n"
      "  \"size\": {{\"layers\": {}, \"micro_batches\": {}, \"virtual_stages\": {}, "
      "\"optimizer_launches\": {}}},\n",
      NameOf(options.job), options.ranks, options.steps, options.events_per_rank, options.seed,
      options.clock_offset_max_ns, options.clock_drift_max_ppb, options.compress,
      options.cuda_graphs, options.run_ahead, options.stacks, plan.size().layers,
      plan.size().micro_batches, options.virtual_stages, plan.size().optimizer_launches);
}

std::string LayoutJson(const Layout& layout) {
  const Degrees& degrees = layout.degrees;
  std::string out = fmt::format(
      "  \"layout\": {{\"tp\": {}, \"cp\": {}, \"ep\": {}, \"pp\": {}, \"dp\": {}}},\n"
      "  \"groups\": [\n",
      degrees.tp, degrees.cp, degrees.ep, degrees.pp, degrees.dp);
  for (std::size_t i = 0; i < layout.groups.size(); ++i) {
    const Group& group = layout.groups[i];
    fmt::format_to(std::back_inserter(out),
                   "    {{\"name\": \"{}\", \"description\": \"{}\", \"ranks\": [{}]}}{}\n",
                   group.name, group.description, fmt::join(group.ranks, ", "),
                   i + 1 < layout.groups.size() ? "," : "");
  }
  return out + "  ],\n";
}

double GainPct(std::int64_t with_ns, std::int64_t without_ns) {
  return 100.0 * (1 - static_cast<double>(without_ns) / static_cast<double>(with_ns));
}

std::string CauseJson(const PlantedJob& job, std::size_t index) {
  const PlantedCause& planted = job.plan().options().causes[index];
  std::vector<int> ranks = planted.ranks, steps = planted.steps;
  if (ranks.empty()) ranks = UpTo(job.plan().options().ranks);
  if (steps.empty()) steps = UpTo(job.plan().options().steps);
  for (int& step : steps) step += kFirstStepNumber;
  const std::int64_t without_ns = job.step_without_ns()[index];
  return fmt::format(
      "    {{\"id\": \"{}\", \"severity\": {}, \"ranks\": [{}], \"steps\": [{}], "
      "\"step_without_ns\": {}, \"gain_pct\": {:.4f}}}",
      InfoOf(planted.cause).name, planted.severity, fmt::join(ranks, ", "), fmt::join(steps, ", "),
      without_ns, GainPct(job.step_ns(), without_ns));
}

std::string CausesJson(const PlantedJob& job) {
  std::string out = fmt::format(
      "  \"step_ns\": {}, \"step_without_causes_ns\": {}, \"gain_pct\": {:.4f},\n"
      "  \"causes\": [",
      job.step_ns(), job.healthy_step_ns(), GainPct(job.step_ns(), job.healthy_step_ns()));
  for (std::size_t i = 0; i < job.plan().options().causes.size(); ++i) {
    out += i > 0 ? ",\n" : "\n";
    out += CauseJson(job, i);
  }
  return out + "],\n";
}

std::string JobJson(const PlantedJob& job) {
  return "  \"schema\": \"rankscope.truth/2\",\n" + OptionsJson(job.plan()) +
         LayoutJson(job.plan().layout()) +
         fmt::format("  \"base_ns\": \"{}\", \"job_start_ns\": \"{}\",\n", kBaseNs, kJobStartNs) +
         CausesJson(job);
}

void AppendCounts(const EventCounts& counts, std::string* out) {
  fmt::format_to(
      std::back_inserter(*out),
      "{{\"events\": {}, \"ops\": {}, \"annotations\": {}, \"device_annotations\": {}, "
      "\"runtime_calls\": {}, \"compute_kernels\": {}, \"communication_kernels\": {}, "
      "\"copies\": {}, \"syncs\": {}, \"memory\": {}, \"python\": {}, \"flow_starts\": {}, "
      "\"flow_ends\": {}, \"metadata\": {}}}",
      counts.events, counts.ops, counts.annotations, counts.device_annotations,
      counts.runtime_calls, counts.compute_kernels, counts.communication_kernels, counts.copies,
      counts.syncs, counts.memory, counts.python, counts.flow_starts, counts.flow_ends,
      counts.metadata);
}

void AppendStage(const StageAccount& stage, int virtual_stages, std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 ",\n       \"pipeline\": {{\"micro_batches\": {}, \"warm_up_ns\": {}, "
                 "\"steady_ns\": {}, \"cool_down_ns\": {}, \"busy_ns\": {}}}",
                 stage.forwards / virtual_stages, stage.warm_up_ns, stage.steady_ns,
                 stage.cool_down_ns, stage.busy_ns);
}

// `received` by layer, then by micro-batch.
void AppendExperts(const std::vector<std::int64_t>& received, int layers, std::string* out) {
  if (received.empty()) return;
  *out += ",\n       \"experts\": [";
  for (std::size_t i = 0; i < received.size(); ++i) {
    const int item = static_cast<int>(i);
    fmt::format_to(std::back_inserter(*out),
                   "{}{{\"layer\": {}, \"micro_batch\": {}, \"tokens_received\": {}}}",
                   i > 0 ? ", " : "", item % layers, item / layers, received[i]);
  }
  *out += "]";
}

void AppendWindow(const WindowAccount& window, std::int64_t wait_ns, std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 "      {{\"step\": {}, \"begin_ns\": {}, \"end_ns\": {}, \"compute_ns\": {}, "
                 "\"communication_ns\": {}, \"copy_ns\": {}, \"exposed_communication_ns\": {}, "
                 "\"exposed_copy_ns\": {}, \"idle_ns\": {}, \"collective_wait_ns\": {}",
                 window.step, window.begin_ns, window.end_ns, window.busy_ns[0], window.busy_ns[1],
                 window.busy_ns[2], window.exposed_communication_ns, window.exposed_copy_ns,
                 window.idle_ns, wait_ns);
}

std::string RankJson(const JobPlan& plan, int rank, const RankTruth& truth,
                     const std::vector<StageAccount>& stages) {
  const Clock clock = plan.clock(rank);
  const Coordinates& at = plan.layout().place(rank).at;
  std::string out = fmt::format(
      "    {{\"rank\": {}, \"file\": \"{}\", \"role\": \"{}\", \"at\": {{\"tp\": {}, \"cp\": {}, "
      "\"ep\": {}, "
      "\"pp\": {}, \"dp\": {}}},\n     \"clock_offset_ns\": {}, \"clock_drift_ppb\": {},\n"
      "     \"counts\": ",
      rank, truth.file, plan.purpose(rank), at.tp, at.cp, at.ep, at.pp, at.dp, clock.offset_ns,
      clock.drift_ppb);
  AppendCounts(truth.counts, &out);
  out += ",\n     \"windows\": [\n";
  for (std::size_t i = 0; i < truth.windows.size(); ++i) {
    if (i > 0) out += ",\n";
    AppendWindow(truth.windows[i], truth.collective_wait_ns[i], &out);
    if (!stages.empty()) AppendStage(stages[i], plan.options().virtual_stages, &out);
    AppendExperts(truth.tokens_received[i], plan.size().layers, &out);
    out += "}";
  }
  return out + "\n     ]}";
}

}  // namespace

Status WriteTruth(const std::string& path, const PlantedJob& job,
                  const std::vector<RankTruth>& ranks) {
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(path));
  const auto write = [&file](const std::string& text) {
    return file->Write(text.data(), text.size());
  };
  std::vector<std::vector<StageBusy>> busy;
  busy.reserve(ranks.size());
  for (const RankTruth& rank : ranks) busy.push_back(rank.stage_busy);
  std::vector<std::vector<StageAccount>> stages = AccountStages(job.plan().layout(), busy);
  stages.resize(ranks.size());
  RS_RETURN_IF_ERROR(write("{\n" + JobJson(job) + "  \"ranks\": [\n"));
  bool first = true;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].file.empty()) continue;
    if (!first) RS_RETURN_IF_ERROR(write(",\n"));
    first = false;
    RS_RETURN_IF_ERROR(
        write(RankJson(job.plan(), static_cast<int>(rank), ranks[rank], stages[rank])));
  }
  RS_RETURN_IF_ERROR(write("\n  ]\n}\n"));
  return file->Commit();
}

}  // namespace rankscope::sim
