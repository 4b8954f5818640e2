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
// goes to the largest remainders, of equal ones to the first.
std::vector<std::int64_t> PartsOf(std::int64_t all, const std::vector<std::int64_t>& weights) {
  const auto sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::vector<std::int64_t> parts(weights.size(), 0);
  if (sum == 0) return parts;
  std::vector<std::pair<std::int64_t, std::size_t>> remainders;
  std::int64_t left = all;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto product = static_cast<Wide>(all) * weights[i];
    parts[i] = static_cast<std::int64_t>(product / sum);
    left -= parts[i];
    remainders.emplace_back(-static_cast<std::int64_t>(product % sum), i);
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; left > 0; ++i, --left) ++parts[remainders[i % remainders.size()].second];
  return parts;
}

// In unit-milliseconds.
struct ValueUnits {
  std::int64_t allocated = 0, shared = 0, failed = 0, cancelled = 0;
  std::set<std::string> jobs;
};
struct PeriodUnits {
  std::int64_t capacity = 0, reserved = 0, down = 0, unallocated = 0;
  std::map<std::optional<std::string>, ValueUnits> values;
};

// What was said of one node.
struct Node {
  std::vector<const Capacity*> capacity;
  std::vector<const Claim*> claims;
  std::vector<const Absence*> absences;
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
    partition.beyond_capacity_ms = beyond_ / kDeviceUnits;
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
    const std::int64_t capacity = devices * kDeviceUnits * length;
    std::vector<std::int64_t> wanted;
    std::int64_t all = 0;
    for (const Claim* one : running) all += wanted.emplace_back(one->units * length);
    if (devices == 0) {
      beyond_ += all;
      if (all > 0) unknown_nodes_.insert(name);
      return;
    }
    const bool is_shared = all > capacity;
    if (is_shared) wanted = PartsOf(capacity, wanted);
    units.capacity += capacity;
    for (std::size_t i = 0; i < running.size(); ++i)
      AddClaim(name, *running[i], wanted[i], is_shared, units);
    const std::int64_t left = capacity - std::min(all, capacity);
    bool is_down = false, is_reserved = false;
    for (const Absence* one : node.absences) {
      if (covers(one)) (one->is_reserved ? is_reserved : is_down) = true;
    }
    (is_down ? units.down : is_reserved ? units.reserved : units.unallocated) += left;
  }

  void AddClaim(const std::string& name, const Claim& claim, std::int64_t units, bool is_shared,
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
  }

  static HoursOfPeriod Rounded(std::int64_t from, std::int64_t until, PeriodUnits& units) {
    HoursOfPeriod hours{.from_ms = from, .until_ms = until};
    hours.capacity_ms = units.capacity / kDeviceUnits;
    std::vector<std::int64_t> weights = {units.reserved, units.down, units.unallocated};
    for (const auto& [value, of] : units.values) weights.push_back(of.allocated);
    const std::vector<std::int64_t> parts = PartsOf(hours.capacity_ms, weights);
    hours.reserved_ms = parts[0];
    hours.down_ms = parts[1];
    hours.unallocated_ms = parts[2];
    std::size_t at = 3;
    for (auto& [value, of] : units.values) {
      HoursOfValue& to = hours.values[value];
      to.allocated_ms = parts[at++];
      to.shared_ms = std::min(to.allocated_ms, of.shared / kDeviceUnits);
      to.failed_ms = std::min(to.allocated_ms, of.failed / kDeviceUnits);
      to.cancelled_ms = std::min(to.allocated_ms, of.cancelled / kDeviceUnits);
      to.jobs = std::move(of.jobs);
    }
    return hours;
  }

  const PeriodSpec& period_;
  std::vector<std::int64_t> begins_;
  std::vector<PeriodUnits> units_;
  std::int64_t beyond_ = 0;
  std::set<std::string> unknown_nodes_;
};

}  // namespace

Partition DivideHours(const std::vector<Capacity>& capacity, const std::vector<Claim>& claims,
                      const std::vector<Absence>& absences, const PeriodSpec& period) {
  std::map<std::string, Node> nodes;
  for (const Capacity& one : capacity) nodes[one.node].capacity.push_back(&one);
  for (const Claim& one : claims) nodes[one.node].claims.push_back(&one);
  for (const Absence& one : absences) nodes[one.node].absences.push_back(&one);
  Division division(period);
  for (const auto& [name, node] : nodes) division.Add(name, node);
  return division.Finish();
}

}  // namespace rankscope::fleet
