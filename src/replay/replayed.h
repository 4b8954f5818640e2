// Replayed: the graph of all ranks with data derived only from the recording: its replay, the
// critical path, groups of peers' nodes, and the fidelity of replays. Made once per job.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "replay/fidelity.h"
#include "replay/job_graph/job_graph.h"
#include "replay/peers/peers.h"
#include "replay/peers/places.h"
#include "replay/scenario/job_path.h"
#include "replay/scenario/scenario.h"
#include "replay/scenario/step_ends.h"

namespace rankscope {

// Any number of threads may read it; each part is made at its first use.
class Replayed {
 public:
  // Making a part takes up to `threads` threads.
  Replayed(std::shared_ptr<const JobGraph> graph, Peers peers, int threads = 1)
      : graph_(std::move(graph)), peers_(std::move(peers)), threads_(threads) {}

  const JobGraph& graph() const { return *graph_; }
  const Peers& peers() const { return peers_; }
  const Scenario& recorded() const { return Now().scenario; }
  const Replay& now() const { return Now().replay; }  // of `recorded`
  const std::vector<JobPathPiece>& path() const;      // of `now`
  const Places& places() const;
  const Fidelity& fidelity() const;
  // Makes the replay of the recording and the places in parallel.
  void MakeNowAndPlaces() const;

  // StepTimesOf these (step_times.h).
  std::vector<StepEnds> StepTimes(std::span<const Scenario* const> scenarios) const;
  // The number of passes over the whole graph: for the recording, its fidelity, and scenarios.
  // Parallel passes on several threads count as one.
  std::int64_t passes() const { return passes_; }

 private:
  struct Recording {
    explicit Recording(const JobGraph& graph) : scenario(graph), replay(scenario) {}
    Scenario scenario;
    Replay replay;
  };
  const Recording& Now() const;

  std::shared_ptr<const JobGraph> graph_;
  Peers peers_;
  int threads_;
  mutable std::atomic<std::int64_t> passes_{0};
  mutable std::once_flag now_made_, path_made_, places_made_, fidelity_made_;
  mutable std::optional<Recording> now_;
  mutable std::vector<JobPathPiece> path_;
  mutable std::optional<Places> places_;
  mutable Fidelity fidelity_;
};

}  // namespace rankscope
