// lock-contention: the handlers of a service wait for locks that others of them hold.
//
// Told when waits for locks, which the recorder measured (LockGuard, LockTimer), are a tenth of the
// time of requests. Where they are half of the time with a worker, the queue behind the workers is
// theirs, too: a handler that waits serves nobody.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "serving/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr double kLockContentionLeastShare = 0.1;
constexpr double kExplainsQueue = 0.5;
constexpr double kWorthTelling = 0.01;

}  // namespace

void FindLockContention(const Analysis& analysis, Causes& causes) {
  const Population& population = analysis.population;
  double lock = 0, held = 0, total = 0, queue = 0;
  std::int64_t known = 0, waited = 0;
  std::map<std::string, double> locks;
  Ns first, last;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    const Request& request = analysis.requests[population.requests[i]];
    const Parts& parts = population.parts[i];
    total += static_cast<double>(parts.total);
    queue += static_cast<double>(parts.of(Stage::kQueue).value_or(0));
    if (request.arrival) {
      const std::int64_t end = *request.arrival + parts.total;
      first = std::min(first.value_or(*request.arrival), *request.arrival);
      last = std::max(last.value_or(end), end);
    }
    const Ns own = parts.of(Stage::kLock);
    if (!own) continue;
    ++known;
    waited += *own > 0;
    lock += static_cast<double>(*own);
    held += static_cast<double>(request.held.value_or(0));
    if (*own > 0) locks[request.lock_name] += static_cast<double>(*own);
  }
  if (known == 0) {
    causes.unchecked.emplace_back(
        "lock-contention: no handler takes a lock by the recorder's LockGuard or LockTimer");
    return;
  }
  if (!(total > 0) || lock < kLockContentionLeastShare * total) return;
  const auto most = std::ranges::max_element(locks, {}, [](const auto& one) { return one.second; });
  const std::string name = most == locks.end() ? "" : most->first;
  causes.is_queue_of_lock = lock >= kExplainsQueue * (total - queue);
  Finding finding{.id = "lock-contention"};
  finding.lost_pct = 100 * (lock + (causes.is_queue_of_lock ? queue : 0)) / total;
  finding.title = fmt::format("Handlers wait {} on average for {}, {} of requests' time",
                              HumanDuration(lock / static_cast<double>(population.parts.size())),
                              name.empty() ? "locks" : fmt::format("the lock '{}'", name),
                              HumanPercent(100 * lock / total));
  finding.evidence =
      fmt::format("{} of {} requests waited for a lock", waited, population.parts.size());
  if (locks.size() > 1 && !name.empty())
    finding.evidence += fmt::format(", '{}' being {} of these waits", name,
                                    HumanPercent(100 * most->second / lock));
  if (held > 0 && first && *last > *first)
    finding.evidence += fmt::format("; locks are held for {} of the recording, {} by a request",
                                    HumanPercent(100 * held / static_cast<double>(*last - *first)),
                                    HumanDuration(held / static_cast<double>(known)));
  if (causes.is_queue_of_lock && queue >= kWorthTelling * total)
    finding.evidence +=
        fmt::format("; behind handlers that wait, requests queue for {} on average",
                    HumanDuration(queue / static_cast<double>(population.parts.size())));
  finding.change =
      "Hold it for less time (no calls, no allocation, no I/O under it), split what it guards, "
      "or let readers share it (std::shared_mutex, a copy that is swapped).";
  finding.no_gain = "how long handlers take without it is not recorded";
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
