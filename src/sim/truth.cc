#include "sim/truth.h"

#include <fmt/format.h>

#include <iterator>

#include "base/file.h"

namespace rankscope::sim {
namespace {

std::string JobJson(const JobPlan& plan) {
  const SimulateOptions& options = plan.options;
  return fmt::format(
      "  \"schema\": \"rankscope.truth/1\",\n"
      "  \"options\": {{\"ranks\": {}, \"steps\": {}, \"events_per_rank\": {}, \"seed\": \"{}\", "
      "\"clock_offset_max_ns\": {}, \"slow_rank\": {}, \"slow_factor\": {}, \"compress\": {}}},\n"
      "  \"size\": {{\"layers\": {}, \"micro_batches\": {}, \"optimizer_launches\": {}, "
      "\"collectives_per_step\": {}}},\n"
      "  \"base_ns\": \"{}\",\n",
      options.ranks, options.steps, options.events_per_rank, options.seed,
      options.clock_offset_max_ns,
      options.slow_rank < 0 ? "null" : std::to_string(options.slow_rank), options.slow_factor,
      options.compress, plan.size.layers, plan.size.micro_batches, plan.size.optimizer_launches,
      plan.collective_count(), kBaseNs);
}

void AppendCounts(const EventCounts& counts, std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 "{{\"events\": {}, \"ops\": {}, \"annotations\": {}, \"device_annotations\": {}, "
                 "\"runtime_calls\": {}, \"compute_kernels\": {}, \"communication_kernels\": {}, "
                 "\"copies\": {}, \"syncs\": {}, \"memory\": {}, \"flow_starts\": {}, "
                 "\"flow_ends\": {}, \"metadata\": {}}}",
                 counts.events, counts.ops, counts.annotations, counts.device_annotations,
                 counts.runtime_calls, counts.compute_kernels, counts.communication_kernels,
                 counts.copies, counts.syncs, counts.memory, counts.flow_starts, counts.flow_ends,
                 counts.metadata);
}

void AppendWindow(const WindowAccount& window, std::int64_t shift_ns, std::int64_t wait_ns,
                  std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 "      {{\"step\": {}, \"begin_ns\": {}, \"end_ns\": {}, \"compute_ns\": {}, "
                 "\"communication_ns\": {}, \"copy_ns\": {}, \"exposed_communication_ns\": {}, "
                 "\"exposed_copy_ns\": {}, \"idle_ns\": {}, \"collective_wait_ns\": {}}}",
                 window.step, window.begin_ns + shift_ns, window.end_ns + shift_ns,
                 window.busy_ns[0], window.busy_ns[1], window.busy_ns[2],
                 window.exposed_communication_ns, window.exposed_copy_ns, window.idle_ns, wait_ns);
}

std::string RankJson(const JobPlan& plan, int rank, const RankTruth& truth) {
  const std::int64_t offset_ns = plan.clock_offset_ns(rank);
  std::string out = fmt::format(
      "    {{\"rank\": {}, \"file\": \"{}\", \"clock_offset_ns\": {},\n     \"counts\": ", rank,
      truth.file, offset_ns);
  AppendCounts(truth.counts, &out);
  out += ",\n     \"windows\": [\n";
  for (std::size_t i = 0; i < truth.windows.size(); ++i) {
    if (i > 0) out += ",\n";
    AppendWindow(truth.windows[i], kJobStartNs + offset_ns, truth.collective_wait_ns[i], &out);
  }
  return out + "\n     ]}";
}

}  // namespace

Status WriteTruth(const std::string& path, const JobPlan& plan,
                  const std::vector<RankTruth>& ranks) {
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(path));
  const auto write = [&file](const std::string& text) {
    return file->Write(text.data(), text.size());
  };
  RS_RETURN_IF_ERROR(write("{\n" + JobJson(plan) + "  \"ranks\": [\n"));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (rank > 0) RS_RETURN_IF_ERROR(write(",\n"));
    RS_RETURN_IF_ERROR(write(RankJson(plan, static_cast<int>(rank), ranks[rank])));
  }
  RS_RETURN_IF_ERROR(write("\n  ]\n}\n"));
  return file->Commit();
}

}  // namespace rankscope::sim
