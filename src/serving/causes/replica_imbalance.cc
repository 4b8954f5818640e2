// replica-imbalance: requests wait at some replicas while others have room.
//
// Loads of replicas are compared at the same moments (each value holds until the next of its
// replica, at most three times its usual interval). The finding stands when in a fifth of the
// moments, ten at least, a request waits at one replica while another has none waiting and runs at
// most four fifths of what the waiting one runs. Only replicas of one model are compared: no router
// can send a request to a server of another. Nor are those that prefill compared with those that
// decode. Where it stands for several models, that of most
// moments is told.
// Where that is so in four fifths of the moments in which requests wait, the queue is the router's,
// and no finding of its own; that of another model still is.
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

using Tracks = std::map<std::string, Track>;

// By model and role; those without one are with the others if these have one model.
std::map<std::string, Tracks> TracksByModel(const std::vector<Load>& loads) {
  std::map<std::string, Tracks> by_model;
  for (const Load& load : loads) {
    if (load.time && load.waiting && load.running)
      by_model[load.model + (load.role.empty() ? "" : " (" + load.role + ")")][load.replica]
          .loads.push_back(&load);
  }
  if (by_model.size() == 2 && by_model.contains("")) {
    by_model.begin()->second.merge(std::prev(by_model.end())->second);
    by_model.erase(std::prev(by_model.end()));
  }
  for (auto& [model, tracks] : by_model) {
    std::erase_if(tracks, [](const auto& track) { return track.second.loads.size() < 3; });
    for (auto& [replica, track] : tracks) {
      std::vector<double> gaps;
      for (std::size_t i = 0; i + 1 < track.loads.size(); ++i)
        gaps.push_back(static_cast<double>(*track.loads[i + 1]->time - *track.loads[i]->time));
      track.holds = static_cast<std::int64_t>(std::min(3 * Median(std::move(gaps)), 1e18));
    }
  }
  return by_model;
}

// What replicas of one model have at the same moments.
struct Compared {
  std::string model;
  int moments = 0, uneven = 0;
  int waited = 0;             // requests, at one of them
  int elsewhere = 0;          // requests wait at a replica of another model
  double level = 0, all = 0;  // waiting, and all in the server
  std::map<std::string, double> waiting;

  bool IsUneven() const { return uneven >= 10 && uneven * 5 >= moments; }
};

bool WaitsAtAnother(const std::map<std::string, Tracks>& by_model, const std::string& model,
                    std::int64_t moment) {
  return std::ranges::any_of(by_model, [&](const auto& of_model) {
    if (of_model.first == model) return false;
    return std::ranges::any_of(of_model.second, [&](const auto& track) {
      const Load* load = track.second.At(moment);
      return load != nullptr && *load->waiting >= 1;
    });
  });
}

Compared Compare(const std::map<std::string, Tracks>& by_model, const std::string& model) {
  Compared result{.model = model};
  const Tracks& tracks = by_model.at(model);
  for (const Load* at : tracks.begin()->second.loads) {
    std::vector<std::pair<std::string, const Load*>> here;
    for (const auto& [replica, track] : tracks) {
      if (const Load* load = track.At(*at->time)) here.emplace_back(replica, load);
    }
    if (here.size() < 2) continue;
    ++result.moments;
    bool is_uneven = false, has_waiting = false;
    for (const auto& [replica, full] : here) {
      result.waiting[replica] += *full->waiting;
      result.level += *full->waiting;
      result.all += *full->waiting + *full->running;
      if (!(*full->waiting >= 1)) continue;
      has_waiting = true;
      is_uneven =
          is_uneven || std::ranges::any_of(here, [&, &busy = full](const auto& other) {
            return *other.second->waiting < 1 && *other.second->running <= 0.8 * *busy->running;
          });
    }
    result.uneven += is_uneven;
    result.waited += has_waiting;
    result.elsewhere += WaitsAtAnother(by_model, model, *at->time);
  }
  return result;
}

}  // namespace

void FindReplicaImbalance(const Analysis& analysis, Causes& causes) {
  const std::map<std::string, Tracks> by_model = TracksByModel(analysis.loads);
  Compared found;
  bool has_two = false;
  for (const auto& [model, tracks] : by_model) {
    if (tracks.size() < 2) continue;
    has_two = true;
    Compared one = Compare(by_model, model);
    if (one.IsUneven() && one.uneven > found.uneven) found = std::move(one);
  }
  if (!has_two) {
    causes.unchecked.emplace_back(
        "replica-imbalance: needs scrapes or logs of two replicas of one model at the same time");
    return;
  }
  if (!found.IsUneven()) return;
  const auto& [model, compared, uneven, waited, elsewhere, level, all, waiting] = found;
  const auto most =
      std::ranges::max_element(waiting, {}, [](const auto& one) { return one.second; });
  const auto least =
      std::ranges::min_element(waiting, {}, [](const auto& one) { return one.second; });
  const bool is_own_queue = uneven * 5 >= waited * 4;
  causes.is_queue_of_imbalance = is_own_queue && elsewhere * 5 <= waited;
  if (is_own_queue) causes.uneven_model = by_model.at(model).begin()->second.loads.front()->model;
  Finding finding{.id = "replica-imbalance"};
  const auto share = analysis.times.QueueShare();
  if (causes.is_queue_of_imbalance) finding.lost_pct = 100 * (share ? *share : level / all);
  finding.title =
      fmt::format("Requests{} wait at one replica while another has room, in {} of the time",
                  by_model.size() > 1 && !model.empty() ? " of " + model : "",
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
