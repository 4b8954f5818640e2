// Findings as the document that rankscope reads (snoop_file/window.h).
#include "json/fields.h"
#include "snoop/document.h"
#include "snoop/findings.h"

namespace rankscope::snoop {
namespace {

std::int64_t Number(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  return static_cast<std::int64_t>(std::min(count, kMost));
}
std::optional<std::int64_t> NumberIf(bool is_known, std::uint64_t count) {
  return is_known ? std::optional(Number(count)) : std::nullopt;
}

void SetDomain(const Allocations::Domain& from, snoop_file::Domain& to) {
  to.level = ToString(from.level);
  to.memory = ToString(from.where);
}

snoop_file::Probes ProbesOf(const Findings& findings) {
  return {.hits = Number(findings.hits),
          .time_ns = findings.spent_ns,
          .lost_events = Number(findings.lost_events),
          .lost_stacks = Number(findings.lost_stacks),
          .lost_sums = Number(findings.lost_sums),
          .abandoned_calls = Number(findings.abandoned),
          .nested_calls = Number(findings.nested),
          .stacks = Number(findings.stacks.stacks),
          .stacks_cut = Number(findings.stacks.cut),
          .python_frames_without_names = Number(findings.stacks.no_names),
          .stacks_without_python = Number(findings.stacks.unreadable)};
}

snoop_file::CallCount DocumentOf(const CallRow& row) {
  const bool returns = row.call.returns();
  const bool is_time = row.call.kind() == kWait;
  return {.level = std::string(ToString(row.call.level)),
          .library = row.call.library,
          .call = row.call.name,
          .kind = std::string(ToString(row.call.kind())),
          .calls = Number(row.calls),
          .failed = NumberIf(returns, row.failed),
          .unfinished = NumberIf(returns, row.unfinished),
          .bytes = NumberIf(row.has_total && !is_time, row.total),
          .time_ns = NumberIf(row.has_total && is_time, row.total)};
}

snoop_file::Memory DocumentOf(const MemoryRow& row) {
  const MemoryTotals& totals = row.totals;
  snoop_file::Memory memory;
  SetDomain(row.domain, memory);
  memory.allocations = Number(totals.allocated);
  memory.allocated_bytes = Number(totals.allocated_bytes);
  memory.frees = Number(totals.freed);
  memory.freed_bytes = Number(totals.freed_bytes);
  memory.frees_of_earlier = Number(totals.unknown_frees);
  memory.replaced = Number(totals.replaced);
  memory.replaced_bytes = Number(totals.replaced_bytes);
  memory.live = Number(totals.allocated - totals.freed - totals.replaced);
  memory.live_bytes = Number(totals.live_bytes);
  memory.peak_bytes = Number(totals.peak_bytes);
  return memory;
}

snoop_file::NeverFreed DocumentOf(const LeakRow& row) {
  snoop_file::NeverFreed leak;
  SetDomain(row.domain, leak);
  leak.call = row.call;
  leak.count = Number(row.count);
  leak.bytes = Number(row.bytes);
  leak.allocations_of_the_stack = Number(row.allocated);
  leak.oldest_ns = row.oldest_ns;
  leak.youngest_ns = row.youngest_ns;
  leak.in_all_quarters = row.grows;
  leak.inside_a_level_above = row.is_inner;
  leak.stack = StackOf(row.frames);
  return leak;
}

snoop_file::Failure DocumentOf(const FailureRow& row) {
  snoop_file::Failure failure{.call = row.call,
                              .count = Number(row.count),
                              .asked_bytes = Number(row.bytes),
                              .errors = {},
                              .inside_a_level_above = row.is_inner,
                              .stack = StackOf(row.frames)};
  for (const auto& [status, count] : row.errors) failure.errors.push_back({status, Number(count)});
  return failure;
}

snoop_file::Timeline DocumentOf(const TimelineRow& row) {
  snoop_file::Timeline timeline;
  SetDomain(row.domain, timeline);
  timeline.part_ns = row.part_ns;
  for (const Timeline::Part& part : row.parts) {
    timeline.highest_bytes.push_back(Number(part.highest));
    timeline.last_bytes.push_back(Number(part.last));
  }
  return timeline;
}

snoop_file::Use DocumentOf(const UseRow& row) {
  return {.level = std::string(ToString(row.level)),
          .kind = std::string(ToString(row.kind)),
          .call = row.call,
          .function = row.function,
          .count = Number(row.count),
          .bytes = NumberIf(row.kind == kCopy || row.kind == kAllocateThrow, row.total),
          .time_ns = NumberIf(row.kind == kWait, row.total),
          .inside_a_level_above = row.is_inner,
          .stack = StackOf(row.frames)};
}

snoop_file::Rate DocumentOf(const RateRow& row) {
  return {.begin_ns = row.begin_ns,
          .end_ns = row.end_ns,
          .level = std::string(ToString(row.level)),
          .kind = std::string(ToString(row.kind)),
          .calls = Number(row.count)};
}

template <typename From, typename To>
void AddAll(const std::vector<From>& from, std::vector<To>& to) {
  to.reserve(from.size());
  for (const From& one : from) to.push_back(DocumentOf(one));
}

}  // namespace

std::string ToJson(const Findings& findings) {
  snoop_file::SnoopWindow window;
  window.format = snoop_file::kSnoopFormat;
  SetHead(findings, window);
  window.libraries = findings.libraries;
  window.late_libraries = findings.late_libraries;
  window.probes = ProbesOf(findings);
  AddAll(findings.calls, window.calls);
  AddAll(findings.memory, window.memory);
  AddAll(findings.leaks, window.never_freed);
  AddAll(findings.failures, window.failures);
  AddAll(findings.timelines, window.timelines);
  AddAll(findings.uses, window.uses);
  AddAll(findings.rates, window.rates);
  return json::ToJson(window) + "\n";
}

}  // namespace rankscope::snoop
