#include "sim/job_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/jitter.h"

namespace rankscope::sim {
namespace {

constexpr int kMaxRanks = 20'000;
constexpr int kMaxSteps = 100'000;
constexpr std::int64_t kMaxClockOffsetNs = 3'600'000'000'000;

// Streams of draws that belong to no rank.
constexpr std::uint64_t kTransferDraws = 0x7472616E73666572;
constexpr std::uint64_t kClockDraws = 0x636C6F636B;

// Kineto prints at most 30 ranks of a group, then "...".
std::string GroupRanksText(int ranks) {
  constexpr int kShown = 30;
  std::string text = "[";
  for (int rank = 0; rank < std::min(ranks, kShown); ++rank) {
    fmt::format_to(std::back_inserter(text), "{}{}", rank == 0 ? "" : ", ", rank);
  }
  return text + (ranks > kShown ? ", ...]" : "]");
}

}  // namespace

JobPlan::JobPlan(const SimulateOptions& job_options, const StepSize& step_size)
    : options(job_options),
      size(step_size),
      catalog(model),
      group_ranks(GroupRanksText(job_options.ranks)),
      slow_per_mille(std::llround(job_options.slow_factor * 1000)) {
  for (int step = 0; step < options.steps; ++step) {
    step_names.push_back(fmt::format("ProfilerStep#{}", kFirstStepNumber + step));
  }
  const std::int64_t parameters =
      size.layers * model.layer_parameters() + 2 * model.embedding_parameters();
  // AdamW reads and writes the weight and two moments in fp32 and reads the gradient.
  constexpr double kBytesPerParameter = 28;
  const double bytes = kBytesPerParameter * static_cast<double>(parameters);
  optimizer_kernel_ns = MakeKernel({}, {}, 0, bytes / size.optimizer_launches).duration_ns;
}

int JobPlan::unit_count() const {
  return static_cast<int>(catalog.embedding.size() + catalog.head.size()) +
         size.layers * static_cast<int>(catalog.layer.size());
}

std::int64_t JobPlan::bucket_elements(int collective) const {
  const bool inner = collective > 0 && collective <= size.layers;
  return inner ? model.layer_parameters() : model.embedding_parameters();
}

std::int64_t JobPlan::transfer_ns(int step, int collective) const {
  Jitter jitter(MixAll(options.seed, kTransferDraws, static_cast<std::uint64_t>(step)), 0,
                static_cast<std::uint64_t>(collective));
  return jitter.Device(AllReduceNs(2 * bucket_elements(collective), options.ranks));
}

std::int64_t JobPlan::clock_offset_ns(int rank) const {
  if (options.clock_offset_max_ns == 0) return 0;
  const std::uint64_t draw = MixAll(options.seed, kClockDraws, static_cast<std::uint64_t>(rank));
  const std::uint64_t span = 2 * static_cast<std::uint64_t>(options.clock_offset_max_ns) + 1;
  return static_cast<std::int64_t>(draw % span) - options.clock_offset_max_ns;
}

Status Validate(const SimulateOptions& options) {
  const auto refuse = [](std::string_view option, auto value, std::string_view range) {
    return Error(StatusCode::kInvalidArgument, "{}: {} is out of range: {}", option, value, range);
  };
  if (options.out_folder.empty()) {
    return Error(StatusCode::kInvalidArgument, "out: name the folder to write to");
  }
  if (options.ranks < 1 || options.ranks > kMaxRanks) {
    return refuse("ranks", options.ranks, "1 to 20000");
  }
  if (options.steps < 1 || options.steps > kMaxSteps) {
    return refuse("steps", options.steps, "1 to 100000");
  }
  // Ids in a trace are 32 bits wide.
  if (options.events_per_rank < 1 || options.events_per_rank > 1'000'000'000) {
    return refuse("events", options.events_per_rank, "1 to 1000000000");
  }
  if (options.clock_offset_max_ns < 0 || options.clock_offset_max_ns > kMaxClockOffsetNs) {
    return refuse("clock offset", options.clock_offset_max_ns, "0 to one hour, in ns");
  }
  if (options.slow_rank < -1 || options.slow_rank >= options.ranks) {
    return refuse("slow rank", options.slow_rank, "-1 (none) or a rank of the job");
  }
  if (!(options.slow_factor >= 1 && options.slow_factor <= 1000)) {
    return refuse("slow factor", options.slow_factor, "1 to 1000");
  }
  if (options.threads < 0) return refuse("threads", options.threads, "0 or more");
  return OkStatus();
}

}  // namespace rankscope::sim
