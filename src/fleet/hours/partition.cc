#include "fleet/hours/partition.h"

#include <algorithm>
#include <numeric>

namespace rankscope::fleet {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kHour = 3'600'000;

std::int64_t LengthOf(Every every) {
  switch (every) {
    case Every::kHour:
      return kHour;
    case Every::kDay:
      return 24 * kHour;
    case Every::kWeek:
      return 7 * 24 * kHour;
    case Every::kAll:
      break;
  }
  return 0;
}

// Where periods of this length begin: hours and days of UTC, weeks on Mondays (1970 began on a
// Thursday).
std::int64_t BeginOf(std::int64_t at, Every every) {
  const std::int64_t length = LengthOf(every);
  const std::int64_t shift = every == Every::kWeek ? 3 * 24 * kHour : 0;
  const std::int64_t rest = (at + shift) % length;
  return at - (rest < 0 ? rest + length : rest);
}

// Whole parts of `all` in the proportions of `weights`, which sum to `all` exactly: what remains
// goes to the largest remainders, of equal ones to the first. `all` times the largest weight fits.
std::vector<Wide> PartsOf(Wide all, const std::vector<Wide>& weights) {
  const auto sum = std::accumulate(weights.begin(), weights.end(), Wide{0});
  std::vector<Wide> parts(weights.size(), 0);
  if (sum == 0) return parts;
  std::vector<std::pair<Wide, std::size_t>> remainders;
  Wide left = all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    parts[i] = all * weights[i] / sum;
    left -= parts[i];
    remainders.emplace_back(-(all * weights[i] % sum), i);
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; left > 0; ++i, --left) ++parts[remainders[i % remainders.size()].second];
  return parts;
}

// In unit-milliseconds: of 100,000 devices 64 bits hold four years.
struct ValueUnits {
  Wide allocated = 0, shared = 0, failed = 0, cancelled = 0;
  Wide use_known = 0, busy = 0, mixed = 0;
  std::set<std::string> jobs;
};
struct PeriodUnits {
  Wide capacity = 0, reserved = 0, down = 0, unallocated = 0, busy_unclaimed = 0;
  std::map<std::optional<std::string>, ValueUnits> values;
};

std::int64_t Milliseconds(Wide units) { return static_cast<std::int64_t>(units / kDeviceUnits); }

// The units as milliseconds that sum to `all`, which is theirs rounded down: the largest remainders
// are rounded up.
std::vector<std::int64_t> InMilliseconds(std::int64_t all, const std::vector<Wide>& units) {
  std::vector<std::int64_t> parts;
  std::vector<std::pair<std::int64_t, std::size_t>> remainders;
  for (const Wide one : units) {
    remainders.emplace_back(-static_cast<std::int64_t>(one % kDeviceUnits), parts.size());
    all -= parts.emplace_back(Milliseconds(one));
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; all > 0; ++i, --all) ++parts[remainders[i].second];
  return parts;
}

// What was said of one node.
struct Node {
  std::vector<const Capacity*> capacity;
  std::vector<const Claim*> claims;
  std::vector<const Absence*> absences;
  NodeUse use;
};

class Division {
 public:
  explicit Division(const PeriodSpec& period) : period_(period) {
    for (std::int64_t at = period.from_ms; at < period.until_ms;) {
      begins_.push_back(at);
      at = period.every == Every::kAll
               ? period.until_ms
               : std::min(period.until_ms, BeginOf(at, period.every) + LengthOf(period.every));
    }
    units_.resize(begins_.size());
  }

  void Add(const std::string& name, const Node& node) {
    std::vector<std::int64_t> times = begins_;
    times.push_back(period_.until_ms);
    const auto add = [&](std::int64_t from, std::int64_t until) {
      for (const std::int64_t at : {from, until})
        times.push_back(std::clamp(at, period_.from_ms, period_.until_ms));
    };
    for (const Capacity* one : node.capacity) add(one->from_ms, one->until_ms);
    for (const Claim* one : node.claims) add(one->from_ms, one->until_ms);
    for (const Absence* one : node.absences) add(one->from_ms, one->until_ms);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    // Claims by begin: those that run stay in `running` until they end.
    std::vector<const Claim*> coming = node.claims;
    std::sort(coming.begin(), coming.end(),
              [](const Claim* a, const Claim* b) { return a->from_ms < b->from_ms; });
    std::size_t next = 0, period = 0;
    std::vector<const Claim*> running;
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      const std::int64_t from = times[i], until = times[i + 1];
      while (period + 1 < begins_.size() && begins_[period + 1] <= from) ++period;
      std::erase_if(running, [&](const Claim* one) { return one->until_ms <= from; });
      for (; next < coming.size() && coming[next]->from_ms <= from; ++next) {
        if (coming[next]->until_ms > from) running.push_back(coming[next]);
      }
      AddStretch(name, node, running, from, until, units_[period]);
    }
  }

  Partition Finish() {
    Partition partition;
    for (std::size_t i = 0; i < begins_.size(); ++i) {
      const std::int64_t until = i + 1 < begins_.size() ? begins_[i + 1] : period_.until_ms;
      partition.periods.push_back(Rounded(begins_[i], until, units_[i]));
    }
    partition.beyond_capacity_ms = Milliseconds(beyond_);
    partition.unknown_nodes = std::move(unknown_nodes_);
    return partition;
  }

 private:
  // Nothing begins or ends within it.
  void AddStretch(const std::string& name, const Node& node,
                  const std::vector<const Claim*>& running, std::int64_t from, std::int64_t until,
                  PeriodUnits& units) {
    const auto covers = [&](const auto* one) {
      return one->from_ms <= from && one->until_ms >= until;
    };
    std::int64_t devices = 0;
    for (const Capacity* one : node.capacity) devices += covers(one) ? one->devices : 0;
    const std::int64_t length = until - from;
    const Wide capacity = static_cast<Wide>(devices) * kDeviceUnits * length;
    std::vector<Wide> wanted;
    Wide all = 0;
    for (const Claim* one : running) all += wanted.emplace_back(Wide{one->units} * length);
    if (devices == 0) {
      beyond_ += all;
      if (all > 0) unknown_nodes_.insert(name);
      return;
    }
    const bool is_shared = all > capacity;
    if (is_shared) {
      for (Wide& one : wanted) one /= length;
      wanted = PartsOf(capacity, wanted);
    }
    units.capacity += capacity;
    const Wide taken = std::min(all, capacity);
    // Of this time how much is known, and busy; all claims together have taken / capacity of it.
    const NodeUse::Sum use = node.use.In(from, until, devices);
    const Wide known = Wide{use.known_ms} * kDeviceUnits;
    const Wide used = Wide{use.busy_us} * kDeviceUnits / 1000;
    const Wide busy = std::min(used, known * (taken / length) / (capacity / length));
    units.busy_unclaimed += used - busy;
    for (std::size_t i = 0; i < running.size(); ++i) {
      ValueUnits& of = AddClaim(name, *running[i], wanted[i], is_shared, units);
      if (known == 0) continue;
      const Wide known_of = known * (wanted[i] / length) / (capacity / length);
      of.use_known += known_of;
      of.busy += std::min(known_of, busy * (wanted[i] / length) / (taken / length));
      if (running.size() > 1) of.mixed += known_of;
    }
    const Wide left = capacity - taken;
    bool is_down = false, is_reserved = false;
    for (const Absence* one : node.absences) {
      if (covers(one)) (one->is_reserved ? is_reserved : is_down) = true;
    }
    (is_down ? units.down : is_reserved ? units.reserved : units.unallocated) += left;
  }

  ValueUnits& AddClaim(const std::string& name, const Claim& claim, Wide units, bool is_shared,
                       PeriodUnits& to) const {
    std::optional<std::string> value;
    if (period_.by == "node") {
      value = name;
    } else if (period_.by == "outcome") {
      value = std::string(OutcomeName(claim.outcome));
    } else if (const auto found = claim.owner.find(period_.by);
               found != claim.owner.end() && !found->second.empty()) {
      value = found->second;
    }
    ValueUnits& of = to.values[value];
    of.allocated += units;
    if (is_shared) of.shared += units;
    if (claim.outcome == Outcome::kFailed) of.failed += units;
    if (claim.outcome == Outcome::kCancelled) of.cancelled += units;
    auto job = claim.owner.find("job");
    if (job == claim.owner.end()) job = claim.owner.find("name");
    if (job != claim.owner.end()) of.jobs.insert(job->second);
    return of;
  }

  static HoursOfPeriod Rounded(std::int64_t from, std::int64_t until, PeriodUnits& units) {
    HoursOfPeriod hours{.from_ms = from, .until_ms = until};
    hours.capacity_ms = Milliseconds(units.capacity);
    std::vector<Wide> weights = {units.reserved, units.down, units.unallocated};
    for (const auto& [value, of] : units.values) weights.push_back(of.allocated);
    const std::vector<std::int64_t> parts = InMilliseconds(hours.capacity_ms, weights);
    hours.reserved_ms = parts[0];
    hours.down_ms = parts[1];
    hours.unallocated_ms = parts[2];
    hours.busy_unclaimed_ms = Milliseconds(units.busy_unclaimed);
    std::size_t at = 3;
    for (auto& [value, of] : units.values) {
      HoursOfValue& to = hours.values[value];
      to.allocated_ms = parts[at++];
      to.shared_ms = std::min(to.allocated_ms, Milliseconds(of.shared));
      to.failed_ms = std::min(to.allocated_ms, Milliseconds(of.failed));
      to.cancelled_ms = std::min(to.allocated_ms, Milliseconds(of.cancelled));
      to.use_known_ms = std::min(to.allocated_ms, Milliseconds(of.use_known));
      to.busy_ms = std::min(to.use_known_ms, Milliseconds(of.busy));
      to.mixed_ms = std::min(to.use_known_ms, Milliseconds(of.mixed));
      to.jobs = std::move(of.jobs);
    }
    return hours;
  }

  const PeriodSpec& period_;
  std::vector<std::int64_t> begins_;
  std::vector<PeriodUnits> units_;
  Wide beyond_ = 0;
  std::set<std::string> unknown_nodes_;
};

}  // namespace

Partition DivideHours(const std::vector<Capacity>& capacity, const std::vector<Claim>& claims,
                      const std::vector<Absence>& absences, const std::vector<UseSeries>& use,
                      const PeriodSpec& period) {
  std::map<std::string, Node> nodes;
  for (const Capacity& one : capacity) nodes[one.node].capacity.push_back(&one);
  for (const Claim& one : claims) nodes[one.node].claims.push_back(&one);
  for (const Absence& one : absences) nodes[one.node].absences.push_back(&one);
  std::set<std::string> of_use_alone;
  for (const UseSeries& series : use) {
    auto found = nodes.find(series.node);
    if (found == nodes.end()) found = nodes.find(series.node.substr(0, series.node.find('.')));
    if (found == nodes.end()) {
      of_use_alone.insert(series.node);
    } else {
      found->second.use.Add(series);
    }
  }
  Division division(period);
  for (const auto& [name, node] : nodes) division.Add(name, node);
  Partition partition = division.Finish();
  partition.has_use = !use.empty();
  partition.nodes_of_use_alone = std::move(of_use_alone);
  return partition;
}

}  // namespace rankscope::fleet
