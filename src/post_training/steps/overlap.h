// How generation and training overlap, and the possible gain from asynchronous execution or from
// another division of the devices.
//
// For a mean step: Z its time, G generation, S exposed weight sync, W the trainer's wait, and B = Z
// - W - S the other work of the trainer's devices. In colocated layouts W = 0, and B excludes
// generation.
//
//   overlap     (time of simultaneous generation and training) / min(G, B); 0 if they take turns
//   async bound (G + B) / max(G, B): the speed-up if split roles run in parallel
//   best split  the g of 1 .. N - 1 with the least mean over steps of
//               max(G g0 / g, T t0 / (N - g) + F) + S, g0 and t0 the present devices, N their sum,
//               T a step's training and log-probabilities, and F the rest of B, which more devices
//               do not shorten (rewards, checkpoints). Assumes perfect scaling, so it is a bound.
#pragma once

#include <optional>
#include <vector>

#include "post_training/steps/role_steps.h"

namespace rankscope::post_training {

struct BestSplit {
  std::int64_t generate_gpus = 0, train_gpus = 0;
  double step = 0;  // ns
  double now = 0;   // by the same formula with the present devices
};

// A step of the trainer, in ns.
struct TrainerStep {
  double train = 0, fixed = 0, sync = 0;
};

// O(N steps); beyond 100,000 only every n-th split is tried.
BestSplit FindBestSplit(double generate, const std::vector<TrainerStep>& steps,
                        std::int64_t generate_gpus, std::int64_t train_gpus);

struct Overlap {
  bool is_split = false;
  std::int64_t steps = 0;
  double step = 0, generate = 0, train = 0, sync = 0, wait = 0;  // Z, G, B, S, W in ns
  double overlap = 0;                                            // ns of generation
  Count generate_gpus, train_gpus;
  std::optional<BestSplit> best;

  double OverlapShare() const;  // of min(G, B), 0 to 1
  double AsyncBound() const;
  // max(G, B) + S: the step time of roles that run in parallel.
  double SideBySide() const;
};

// nullopt if generation or training is unknown.
std::optional<Overlap> OverlapOf(const std::vector<RoleSteps>& roles, const PostData& data);

// The role whose steps define the job's steps: the colocated one, else the trainer, else the first.
const RoleSteps* Pace(const std::vector<RoleSteps>& roles);

}  // namespace rankscope::post_training
