#include "synthetic_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "facts/launch_parts.h"
#include "job/collective_op.h"
#include "job/collective_partial.h"
#include "job/rank_list.h"
#include "job/rank_work.h"
#include "trace/builder.h"

namespace rankscope::bench {
namespace {

constexpr std::int64_t kTensor = 8;
constexpr std::int64_t kStages = 10;
constexpr std::int64_t kBase = 1'700'000'000'000'000'000;
constexpr std::int64_t kSpacing = 200'000;  // ns between collectives

// Evenly spread and repeatable.
std::int64_t Draw(std::int64_t a, std::int64_t b, std::int64_t below) {
  std::uint64_t x = static_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15ULL +
                    static_cast<std::uint64_t>(b) * 0xBF58476D1CE4E5B9ULL;
  x ^= x >> 31;
  x *= 0x94D049BB133111EBULL;
  x ^= x >> 29;
  return static_cast<std::int64_t>(x % static_cast<std::uint64_t>(below));
}

std::string RanksFrom(std::int64_t first, std::int64_t count, std::int64_t stride) {
  std::vector<std::int64_t> ranks;
  ranks.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) ranks.push_back(first + i * stride);
  return PackRanks(ranks);
}

}  // namespace

JobContext SyntheticJob::Context() const {
  JobContext job;
  job.origin_ns = kBase;
  job.captures.reserve(static_cast<std::size_t>(ranks));
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    Capture capture;
    capture.rank = rank;
    capture.world_size = ranks;
    capture.host = fmt::format("host{}", rank / 8);
    job.captures.push_back(std::move(capture));
  }
  return job;
}

std::vector<Table> SyntheticJob::PartialOf(std::int64_t rank) const {
  const std::int64_t per_stage = ranks / kStages;
  const std::int64_t stage = rank / per_stage;
  const std::int64_t data = per_stage / kTensor;
  Table groups = GroupsOfCollectives();
  const auto add_group = [&](std::string_view kind, std::int64_t first, std::int64_t size,
                             std::int64_t stride) {
    const std::string name = fmt::format("{}{}", kind, first);
    groups.AddRow({std::string_view(name), "undefined",
                   std::string_view(RanksFrom(first, size, stride)), size, true});
  };
  enum GroupRow : std::int64_t { kOfTensor, kOfData, kOfStages, kOfWorld };
  add_group("t", rank / kTensor * kTensor, kTensor, 1);
  add_group("d", stage * per_stage + rank % kTensor, data, kTensor);
  add_group("p", rank % per_stage, kStages, per_stage);
  add_group("w", 0, ranks, 1);

  Table events = CollectiveEvents();
  Table exposed = ExposedStretches();
  const std::int64_t ahead = Draw(rank, -1, 100'000'000) - 50'000'000;
  for (std::int64_t i = 0; i < steps * collectives; ++i) {
    const std::int64_t step = i / collectives;
    const std::int64_t in_step = i % collectives;
    const std::int64_t kind = in_step % 50;
    const bool is_send = kind >= 45 && kind < 49;
    const std::int64_t group = kind < 40   ? kOfTensor
                               : kind < 45 ? kOfData
                               : is_send   ? kOfStages
                                           : kOfWorld;
    const bool is_late = in_step * 2 > collectives;
    const StepPart part = is_late || group == kOfData ? StepPart::kBackward : StepPart::kForward;
    CollectiveOp op = CollectiveOp::kAllReduce;
    std::int64_t peer = -1;
    if (is_send) {
      // Activations go up in the first two of four, gradients down in the others.
      const bool is_up = kind < 47;
      const bool sends = kind % 2 == 1;
      op = sends ? CollectiveOp::kSend : CollectiveOp::kReceive;
      peer = rank + (is_up == sends ? per_stage : -per_stage);
      if (peer < 0 || peer >= ranks) continue;
    }
    // Members end together; each comes a little earlier or later.
    const std::int64_t end = kBase + i * kSpacing + 150'000 + Draw(i, rank, 2'000);
    const std::int64_t dur = 20'000 + Draw(rank, i, 80'000);
    const std::int64_t elements = group == kOfWorld  ? 2
                                  : group == kOfData ? 25'000'000 + kind
                                                     : 4'194'304;
    events.AddRow({group, static_cast<std::int64_t>(op), "BFloat16", elements, elements, i,
                   is_send ? Value(peer) : Value(kNull), kNull, kNull, ahead + end - dur, dur, step,
                   true, 20 * i, static_cast<std::int64_t>(is_send ? StepPart::kForward : part)});
    exposed.AddRow({ahead + end - dur, ahead + end - dur / 2, step});
  }
  return {groups, events, exposed,
          RankWorkTable({.ops = 30'000, .backward = 9'000, .optimizer = 3, .attention = 300})};
}

RankTrace TraceWithNames(std::int64_t names, std::int64_t steps) {
  NameScope scope;
  EventBatch batch;
  const auto track = [&](std::int64_t first, std::int64_t second, Domain domain) {
    scope.tracks.push_back({.first = first, .second = second, .domain = domain});
    return static_cast<std::uint32_t>(scope.tracks.size() - 1);
  };
  const std::uint32_t thread = track(1, 1, Domain::kHost);
  const std::uint32_t stream = track(0, 7, Domain::kDevice);
  const auto add = [&](EventKind kind, std::uint32_t on, std::string_view name, std::int64_t ts,
                       std::int64_t dur, std::int64_t correlation) {
    RawRow row;
    row.ts_ns = ts;
    row.dur_ns = dur;
    row.name = scope.strings.Intern(name);
    row.category = scope.strings.Intern(ToString(kind));
    row.track = on;
    row.kind = kind;
    row.correlation = correlation;
    row.source = static_cast<std::uint32_t>(batch.event_count++);
    batch.rows.push_back(row);
  };
  constexpr std::int64_t kTimes = 5;
  const std::int64_t step_ns = 20'000 * names * kTimes;
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t begin = step * step_ns;
    add(EventKind::kUserAnnotation, thread, fmt::format("ProfilerStep#{}", step), begin, step_ns,
        kNoCorrelation);
    for (std::int64_t i = 0; i < names * kTimes; ++i) {
      const std::int64_t at = begin + 20'000 * i;
      const std::int64_t correlation = 1 + step * names * kTimes + i;
      const std::int64_t name = i % names;
      add(EventKind::kCpuOp, thread, fmt::format("aten::op_{}", name % 80), at, 12'000,
          kNoCorrelation);
      add(EventKind::kRuntime, thread, "cudaLaunchKernel", at + 2'000, 5'000, correlation);
      add(EventKind::kKernel, stream,
          fmt::format("void at::native::vectorized_elementwise_kernel<{}, at::native::Functor_{}"
                      "<c10::BFloat16>, std::array<char*, 3ul> >(int, {})",
                      name % 8, name, name),
          at + 10'000, 2'000 + Draw(name, i, 15'000), correlation);
    }
  }
  TraceBuilder builder;
  builder.Append(batch, scope, 0);
  return std::move(builder).Finish({}, {});
}

Result<bool> SyntheticStream::Next(Partial& partial) {
  if (next_ == job_.ranks) return false;
  partial.capture = static_cast<std::size_t>(next_);
  partial.tables = job_.PartialOf(next_++);
  return true;
}

}  // namespace rankscope::bench
