#include "snoop/allocations.h"

#include <algorithm>

namespace rankscope::snoop {

Allocations::Domain Allocations::DomainOf(std::uint32_t call) const {
  return {calls_[call].level, calls_[call].where};
}

void Allocations::Add(const Event& event) {
  if (event.call >= calls_.size()) return;
  if (event.kind == kFree) {
    Free(event);
  } else if (event.kind == kAllocateThrow) {
    // Asked for; what came of it is not known.
    AllocationSum& sum = sites_[{event.call, event.stack}];
    ++sum.count;
    sum.bytes += event.bytes;
  } else {
    Allocate(event);
  }
}

void Allocations::Allocate(const Event& event) {
  AllocationSum& sum = sites_[{event.call, event.stack}];
  if (event.status != 0) {
    ++sum.failed;
    sum.failed_bytes += event.bytes;
    ++sum.errors[event.status];
    return;
  }
  ++sum.count;
  sum.bytes += event.bytes;
  const Domain domain = DomainOf(event.call);
  MemoryTotals& totals = totals_[domain];
  totals.seen = true;
  ++totals.allocated;
  totals.allocated_bytes += event.bytes;
  const auto time_ns = static_cast<std::int64_t>(event.time_ns);
  // No bytes, no address: nothing to be freed.
  if (event.address == 0) return;
  const Key key{event.address, domain.level, domain.where == Where::kPhysical};
  const Live live{event.address, event.bytes, event.stack, time_ns, event.thread, event.call};
  const auto [found, is_new] = live_.try_emplace(key, live);
  if (!is_new) {
    MemoryTotals& before = totals_[DomainOf(found->second.call)];
    ++before.replaced;
    before.replaced_bytes += found->second.bytes;
    before.live_bytes -= found->second.bytes;
    found->second = live;
  }
  totals.live_bytes += event.bytes;
  if (totals.live_bytes > totals.peak_bytes) {
    totals.peak_bytes = totals.live_bytes;
    totals.peak_ns = time_ns;
  }
  Changed(domain, time_ns);
}

void Allocations::Free(const Event& event) {
  const Domain stated = DomainOf(event.call);
  const auto found = live_.find({event.address, stated.level, stated.where == Where::kPhysical});
  if (found == live_.end()) {
    totals_[stated].seen = true;
    ++totals_[stated].unknown_frees;
    return;
  }
  // What it was allocated as: cudaFree frees managed memory, too.
  const Domain domain = DomainOf(found->second.call);
  MemoryTotals& totals = totals_[domain];
  ++totals.freed;
  totals.freed_bytes += found->second.bytes;
  totals.live_bytes -= found->second.bytes;
  live_.erase(found);
  Changed(domain, static_cast<std::int64_t>(event.time_ns));
}

void Allocations::Changed(const Domain& domain, std::int64_t time_ns) {
  timelines_.try_emplace(domain, begin_ns_, length_ns_)
      .first->second.Set(time_ns, totals_[domain].live_bytes);
}

std::vector<Live> Allocations::LiveNow() const {
  std::vector<Live> all;
  all.reserve(live_.size());
  for (const auto& [key, live] : live_) all.push_back(live);
  std::ranges::sort(all, [](const Live& a, const Live& b) {
    return std::pair(a.time_ns, a.address) < std::pair(b.time_ns, b.address);
  });
  return all;
}

}  // namespace rankscope::snoop
