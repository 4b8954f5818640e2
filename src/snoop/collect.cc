#include "snoop/collect.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "snoop/plan.h"

namespace rankscope::snoop {
namespace {

constexpr std::size_t kQuarters = 4;

// Whether a frame below the innermost one is of a library of a level above.
bool IsInner(Level level, const Frames& frames) {
  if (frames.empty()) return false;
  return std::any_of(frames.begin(), frames.end() - 1, [&](const StackFrame& frame) {
    if (frame.is_python) return false;
    const auto of_file =
        LevelOf(std::string_view(frame.file).substr(frame.file.find_last_of('/') + 1));
    return of_file && *of_file < level;
  });
}

// Stacks as they are named: several numbers may be of one.
class NamedStacks {
 public:
  explicit NamedStacks(const StackBook& book) : book_(book) {}

  std::size_t Of(std::uint64_t id) {
    const auto known = by_id_.find(id);
    if (known != by_id_.end()) return known->second;
    Frames frames = book_.FramesOf(id);
    std::string key;
    for (const StackFrame& frame : frames) key += ToText(frame) + "\n";
    const auto [found, is_new] = by_text_.try_emplace(std::move(key), all_.size());
    if (is_new) all_.push_back(std::move(frames));
    by_id_.emplace(id, found->second);
    return found->second;
  }
  const Frames& at(std::size_t stack) const { return all_[stack]; }

 private:
  const StackBook& book_;
  std::map<std::uint64_t, std::size_t> by_id_;
  std::map<std::string, std::size_t> by_text_;
  std::vector<Frames> all_;
};

class Collector {
 public:
  Collector(std::span<const Call> calls, const StackBook& book, std::int64_t begin_ns,
            std::int64_t end_ns)
      : calls_(calls), stacks_(book), begin_ns_(begin_ns), end_ns_(end_ns) {}

  std::vector<LeakRow> Leaks(const Allocations& allocations) {
    using Key = std::tuple<Allocations::Domain, std::uint32_t, std::size_t>;
    struct Held {
      LeakRow row;
      std::array<bool, kQuarters> quarters{};
    };
    std::map<Key, Held> held;
    for (const Live& live : allocations.LiveNow()) {
      const Allocations::Domain domain = allocations.DomainOf(live.call);
      Held& one = held[{domain, live.call, stacks_.Of(live.stack)}];
      ++one.row.count;
      one.row.bytes += live.bytes;
      const std::int64_t age = end_ns_ - live.time_ns;
      // They come by time.
      if (one.row.count == 1) one.row.oldest_ns = age;
      one.row.youngest_ns = age;
      one.quarters[QuarterOf(live.time_ns)] = true;
    }
    std::map<Key, std::uint64_t> made;
    for (const auto& [site, sum] : allocations.sites())
      made[{allocations.DomainOf(site.call), site.call, stacks_.Of(site.stack)}] += sum.count;
    std::vector<LeakRow> rows;
    for (auto& [key, one] : held) {
      one.row.domain = std::get<0>(key);
      one.row.call = calls_[std::get<1>(key)].name;
      one.row.frames = stacks_.at(std::get<2>(key));
      one.row.is_inner = IsInner(one.row.domain.level, one.row.frames);
      one.row.grows = std::ranges::all_of(one.quarters, [](bool has) { return has; });
      one.row.allocated = made[key];
      rows.push_back(std::move(one.row));
    }
    std::ranges::stable_sort(rows, std::greater(), &LeakRow::bytes);
    return rows;
  }

  std::vector<FailureRow> Failures(const Allocations& allocations) {
    std::map<std::pair<std::uint32_t, std::size_t>, FailureRow> failures;
    for (const auto& [site, sum] : allocations.sites()) {
      if (sum.failed == 0) continue;
      const std::size_t stack = stacks_.Of(site.stack);
      FailureRow& row = failures[{site.call, stack}];
      row.call = calls_[site.call].name;
      row.frames = stacks_.at(stack);
      row.is_inner = IsInner(calls_[site.call].level, row.frames);
      row.count += sum.failed;
      row.bytes += sum.failed_bytes;
      for (const auto& [status, count] : sum.errors) row.errors[status] += count;
    }
    std::vector<FailureRow> rows;
    rows.reserve(failures.size());
    for (auto& [key, row] : failures) rows.push_back(std::move(row));
    std::ranges::stable_sort(rows, std::greater(), &FailureRow::count);
    return rows;
  }

  std::vector<UseRow> Uses(const Allocations& allocations, std::span<const SummedUse> summed,
                           StackBook& book) {
    using Key = std::tuple<std::uint32_t, std::string, std::size_t>;
    std::map<Key, UseRow> uses;
    const auto add = [&](std::uint32_t call, const std::string& function, std::uint64_t stack_id,
                         std::uint64_t count, std::uint64_t total) {
      const std::size_t stack = stacks_.Of(stack_id);
      UseRow& row = uses[{call, function, stack}];
      row.level = calls_[call].level;
      row.kind = calls_[call].kind();
      row.call = calls_[call].name;
      row.function = function;
      row.frames = stacks_.at(stack);
      row.is_inner = IsInner(row.level, row.frames);
      row.count += count;
      row.total += total;
    };
    for (const SummedUse& one : summed) {
      if (one.key.call >= calls_.size()) continue;
      const std::string function = one.key.detail != 0 ? book.NameAt(one.key.detail) : "";
      add(one.key.call, function, one.key.stack, one.sum.count, one.sum.total);
    }
    for (const auto& [site, sum] : allocations.sites()) {
      if (calls_[site.call].kind() == kAllocateThrow)
        add(site.call, "", site.stack, sum.count, sum.bytes);
    }
    std::vector<UseRow> rows;
    rows.reserve(uses.size());
    for (auto& [key, row] : uses) rows.push_back(std::move(row));
    std::ranges::stable_sort(rows, std::greater(), &UseRow::count);
    return rows;
  }

 private:
  std::size_t QuarterOf(std::int64_t time_ns) const {
    const std::int64_t length = std::max<std::int64_t>(end_ns_ - begin_ns_, 1);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(
        (time_ns - begin_ns_) * std::int64_t{kQuarters} / length, 0, std::int64_t{kQuarters} - 1));
  }

  const std::span<const Call> calls_;
  NamedStacks stacks_;
  const std::int64_t begin_ns_, end_ns_;
};

}  // namespace

std::vector<CallRow> RowsOf(std::span<const Call> calls, std::span<const CallCount> counts) {
  std::vector<CallRow> rows;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CallCount& count = counts[i];
    if (count.entered == 0) continue;
    CallRow row{
        .call = calls[i], .calls = count.entered, .failed = count.failed, .total = count.total};
    row.unfinished = count.entered - std::min(count.entered, count.done + count.failed);
    row.has_total = calls[i].kind() == kWait || calls[i].at.size.how != kNowhere;
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, [](const CallRow& a, const CallRow& b) {
    return std::pair(a.call.level, ~a.calls) < std::pair(b.call.level, ~b.calls);
  });
  return rows;
}

void Collect(std::span<const Call> calls, const Allocations& allocations,
             std::span<const SummedUse> uses, StackBook& stacks, std::int64_t begin_ns,
             std::int64_t end_ns, Findings& findings) {
  Collector collector(calls, stacks, begin_ns, end_ns);
  for (const auto& [domain, totals] : allocations.totals()) {
    if (totals.seen) findings.memory.push_back({domain, totals});
  }
  findings.leaks = collector.Leaks(allocations);
  findings.failures = collector.Failures(allocations);
  findings.uses = collector.Uses(allocations, uses, stacks);
  for (const auto& [domain, timeline] : allocations.timelines())
    findings.timelines.push_back({domain, timeline.part_ns(), timeline.PartsUntil(end_ns)});
}

}  // namespace rankscope::snoop
