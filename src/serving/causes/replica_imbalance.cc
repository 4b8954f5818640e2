// replica-imbalance: requests wait at some replicas while others have room.
//
// Loads of replicas are compared at the same moments (each value holds until the next of its
// replica, at most three times its usual interval). The finding stands when in a fifth of the
// moments, ten at least, a request waits at one replica while another has none waiting and runs at
// most four fifths of what the waiting one runs.
// Where that is so in four fifths of the moments in which requests wait, the queue is the router's,
// and no finding of its own.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "serving/causes/cause.h"
#include "statistics/statistics.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

struct Track {
  std::vector<const Load*> loads;  // by time
  std::int64_t holds = 0;          // how long a value is taken to hold

  const Load* At(std::int64_t time) const {
    auto next =
        std::ranges::upper_bound(loads, time, {}, [](const Load* one) { return *one->time; });
    if (next == loads.begin()) return nullptr;
    const Load* load = *--next;
    return time - *load->time <= holds ? load : nullptr;
  }
};

}  // namespace

void FindReplicaImbalance(const Analysis& analysis, Causes& causes) {
  std::map<std::string, Track> tracks;
  for (const Load& load : analysis.loads) {
    if (load.time && load.waiting && load.running) tracks[load.replica].loads.push_back(&load);
  }
  std::erase_if(tracks, [](const auto& track) { return track.second.loads.size() < 3; });
  if (tracks.size() < 2) {
    causes.unchecked.emplace_back(
        "replica-imbalance: needs scrapes or logs of two replicas at the same time");
    return;
  }
  std::vector<std::int64_t> moments;
  for (auto& [replica, track] : tracks) {
    std::vector<double> gaps;
    for (std::size_t i = 0; i + 1 < track.loads.size(); ++i)
      gaps.push_back(static_cast<double>(*track.loads[i + 1]->time - *track.loads[i]->time));
    track.holds = static_cast<std::int64_t>(std::min(3 * Median(std::move(gaps)), 1e18));
  }
  for (const Load* load : tracks.begin()->second.loads) moments.push_back(*load->time);
  int compared = 0, uneven = 0, waited = 0;
  double level = 0, all = 0;  // waiting, and all in the server
  std::map<std::string, double> waiting;
  for (const std::int64_t moment : moments) {
    std::vector<std::pair<std::string, const Load*>> here;
    for (const auto& [replica, track] : tracks) {
      if (const Load* load = track.At(moment)) here.emplace_back(replica, load);
    }
    if (here.size() < 2) continue;
    ++compared;
    bool is_uneven = false, has_waiting = false;
    for (const auto& [replica, full] : here) {
      waiting[replica] += *full->waiting;
      level += *full->waiting;
      all += *full->waiting + *full->running;
      has_waiting = has_waiting || *full->waiting >= 1;
      if (!(*full->waiting >= 1)) continue;
      is_uneven =
          is_uneven || std::ranges::any_of(here, [&, &busy = full](const auto& other) {
            return *other.second->waiting < 1 && *other.second->running <= 0.8 * *busy->running;
          });
    }
    uneven += is_uneven;
    waited += has_waiting;
  }
  if (uneven < 10 || uneven * 5 < compared) return;
  const auto most =
      std::ranges::max_element(waiting, {}, [](const auto& one) { return one.second; });
  const auto least =
      std::ranges::min_element(waiting, {}, [](const auto& one) { return one.second; });
  causes.is_queue_of_imbalance = uneven * 5 >= waited * 4;
  Finding finding{.id = "replica-imbalance"};
  const auto share = analysis.times.QueueShare();
  if (causes.is_queue_of_imbalance) finding.lost_pct = 100 * (share ? *share : level / all);
  finding.title =
      fmt::format("Requests wait at one replica while another has room, in {} of the time",
                  HumanPercent(100.0 * uneven / compared));
  finding.evidence = fmt::format(
      "{} requests wait at {} on average, {} at {}, over {} moments",
      HumanDecimal(std::round(10 * most->second / compared) / 10), most->first,
      HumanDecimal(std::round(10 * least->second / compared) / 10), least->first, compared);
  finding.change =
      "Route by outstanding requests or queue length, not round robin, and look for sessions or "
      "prefixes that stick to one replica.";
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::serving
