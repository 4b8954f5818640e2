#include "sim/truth.h"

#include <fmt/format.h>

#include <numeric>

#include "base/file.h"
#include "json/writer.h"

namespace rankscope::sim {
namespace {

std::vector<int> UpTo(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

void WriteOptions(json::Writer& writer, const JobPlan& plan) {
  const SimulateOptions& options = plan.options();
  writer.Line().Key("options").BeginObject();
  writer.Member("job", NameOf(options.job))
      .Member("ranks", options.ranks)
      .Member("steps", options.steps)
      .Member("events_per_rank", options.events_per_rank)
      .Member("seed", std::to_string(options.seed))
      .Member("clock_offset_max_ns", options.clock_offset_max_ns)
      .Member("clock_drift_max_ppb", options.clock_drift_max_ppb)
      .Member("compress", options.compress)
      .Member("cuda_graphs", options.cuda_graphs)
      .Member("run_ahead", options.run_ahead)
      .Member("stacks", options.stacks)
      .EndObject();
  writer.Line().Key("size").BeginObject();
  writer.Member("layers", plan.size().layers)
      .Member("micro_batches", plan.size().micro_batches)
      .Member("virtual_stages", options.virtual_stages)
      .Member("optimizer_launches", plan.size().optimizer_launches)
      .EndObject();
}

// Degrees of a layout, or a rank's place in it.
template <typename T>
void WriteDimensions(json::Writer& writer, const T& of) {
  writer.BeginObject().Member("tp", of.tp).Member("cp", of.cp).Member("ep", of.ep);
  writer.Member("pp", of.pp).Member("dp", of.dp).EndObject();
}

void WriteLayout(json::Writer& writer, const Layout& layout) {
  writer.Line().Key("layout");
  WriteDimensions(writer, layout.degrees);
  writer.Line().Key("groups").BeginArray();
  for (const Group& group : layout.groups) {
    writer.Line().BeginObject().Member("name", group.name);
    writer.Member("description", group.description).Member("ranks", group.ranks).EndObject();
  }
  writer.EndArray();
}

void WriteGain(json::Writer& writer, std::int64_t with_ns, std::int64_t without_ns) {
  const double gain = 1 - static_cast<double>(without_ns) / static_cast<double>(with_ns);
  writer.Key("gain_pct").Raw(fmt::format("{:.4f}", 100.0 * gain));
}

void WriteCause(json::Writer& writer, const PlantedJob& job, std::size_t index) {
  const PlantedCause& planted = job.plan().options().causes[index];
  std::vector<int> ranks = planted.ranks, steps = planted.steps;
  if (ranks.empty()) ranks = UpTo(job.plan().options().ranks);
  if (steps.empty()) steps = UpTo(job.plan().options().steps);
  for (int& step : steps) step += kFirstStepNumber;
  const std::int64_t without_ns = job.step_without_ns()[index];
  writer.Line().BeginObject().Member("id", InfoOf(planted.cause).name);
  writer.Member("severity", planted.severity).Member("ranks", ranks).Member("steps", steps);
  writer.Member("step_without_ns", without_ns);
  WriteGain(writer, job.step_ns(), without_ns);
  writer.EndObject();
}

void WriteCauses(json::Writer& writer, const PlantedJob& job) {
  writer.Line().Member("step_ns", job.step_ns());
  writer.Member("step_without_causes_ns", job.healthy_step_ns());
  WriteGain(writer, job.step_ns(), job.healthy_step_ns());
  writer.Line().Key("causes").BeginArray();
  for (std::size_t i = 0; i < job.plan().options().causes.size(); ++i) WriteCause(writer, job, i);
  writer.EndArray();
}

void WriteJob(json::Writer& writer, const PlantedJob& job) {
  writer.Line().Member("schema", "rankscope.truth/2");
  WriteOptions(writer, job.plan());
  WriteLayout(writer, job.plan().layout());
  writer.Line().Member("base_ns", std::to_string(kBaseNs));
  writer.Member("job_start_ns", std::to_string(kJobStartNs));
  WriteCauses(writer, job);
}

void WriteCounts(json::Writer& writer, const EventCounts& counts) {
  writer.Line().Key("counts").BeginObject();
  writer.Member("events", counts.events)
      .Member("ops", counts.ops)
      .Member("annotations", counts.annotations)
      .Member("device_annotations", counts.device_annotations)
      .Member("runtime_calls", counts.runtime_calls)
      .Member("compute_kernels", counts.compute_kernels)
      .Member("communication_kernels", counts.communication_kernels)
      .Member("copies", counts.copies)
      .Member("syncs", counts.syncs)
      .Member("memory", counts.memory)
      .Member("python", counts.python)
      .Member("flow_starts", counts.flow_starts)
      .Member("flow_ends", counts.flow_ends)
      .Member("metadata", counts.metadata)
      .EndObject();
}

void WriteStage(json::Writer& writer, const StageAccount& stage, int virtual_stages) {
  writer.Key("pipeline").BeginObject();
  writer.Member("micro_batches", stage.forwards / virtual_stages)
      .Member("warm_up_ns", stage.warm_up_ns)
      .Member("steady_ns", stage.steady_ns)
      .Member("cool_down_ns", stage.cool_down_ns)
      .Member("busy_ns", stage.busy_ns)
      .EndObject();
}

// `received` by layer, then by micro-batch.
void WriteExperts(json::Writer& writer, const std::vector<std::int64_t>& received, int layers) {
  if (received.empty()) return;
  writer.Key("experts").BeginArray();
  for (std::size_t i = 0; i < received.size(); ++i) {
    const int item = static_cast<int>(i);
    writer.BeginObject().Member("layer", item % layers).Member("micro_batch", item / layers);
    writer.Member("tokens_received", received[i]).EndObject();
  }
  writer.EndArray();
}

void WriteWindow(json::Writer& writer, const WindowAccount& window, std::int64_t wait_ns) {
  writer.Member("step", window.step)
      .Member("begin_ns", window.begin_ns)
      .Member("end_ns", window.end_ns)
      .Member("compute_ns", window.busy_ns[0])
      .Member("communication_ns", window.busy_ns[1])
      .Member("copy_ns", window.busy_ns[2])
      .Member("exposed_communication_ns", window.exposed_communication_ns)
      .Member("exposed_copy_ns", window.exposed_copy_ns)
      .Member("idle_ns", window.idle_ns)
      .Member("collective_wait_ns", wait_ns);
}

void WriteRank(json::Writer& writer, const JobPlan& plan, int rank, const RankTruth& truth,
               const std::vector<StageAccount>& stages) {
  const Clock clock = plan.clock(rank);
  writer.Line().BeginObject().Member("rank", rank).Member("file", truth.file);
  writer.Member("role", plan.purpose(rank)).Key("at");
  WriteDimensions(writer, plan.layout().place(rank).at);
  writer.Member("clock_offset_ns", clock.offset_ns).Member("clock_drift_ppb", clock.drift_ppb);
  WriteCounts(writer, truth.counts);
  writer.Line().Key("windows").BeginArray();
  for (std::size_t i = 0; i < truth.windows.size(); ++i) {
    writer.Line().BeginObject();
    WriteWindow(writer, truth.windows[i], truth.collective_wait_ns[i]);
    if (!stages.empty()) WriteStage(writer, stages[i], plan.options().virtual_stages);
    WriteExperts(writer, truth.tokens_received[i], plan.size().layers);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
}

}  // namespace

Status WriteTruth(const std::string& path, const PlantedJob& job,
                  const std::vector<RankTruth>& ranks) {
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(path));
  std::vector<std::vector<StageBusy>> busy;
  busy.reserve(ranks.size());
  for (const RankTruth& rank : ranks) busy.push_back(rank.stage_busy);
  std::vector<std::vector<StageAccount>> stages = AccountStages(job.plan().layout(), busy);
  stages.resize(ranks.size());
  std::string text;
  json::Writer writer(text);
  writer.BeginObject();
  WriteJob(writer, job);
  writer.Line().Key("ranks").BeginArray();
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].file.empty()) continue;
    WriteRank(writer, job.plan(), static_cast<int>(rank), ranks[rank], stages[rank]);
    RS_RETURN_IF_ERROR(file->Write(text.data(), text.size()));
    text.clear();
  }
  writer.EndArray().EndObject();
  text += '\n';
  RS_RETURN_IF_ERROR(file->Write(text.data(), text.size()));
  return file->Commit();
}

}  // namespace rankscope::sim
