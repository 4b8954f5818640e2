// How generation and training lie beside each other, and what going asynchronous or dividing the
// devices otherwise could bring.
//
// Of a mean step: Z its time, G generation, S exposed weight sync, W the trainer's wait, and
// B = Z - W - S what the trainer's devices do besides. Colocated layouts have W = 0, and B contains
// no generation.
//
//   overlap     (generation and training at one time) / min(G, B); 0 where they take turns
//   async bound (G + B) / max(G, B): the speed-up of letting split roles run side by side
//   best split  the g of 1 .. N - 1 with the least mean over steps of
//               max(G g0 / g, T t0 / (N - g) + F) + S, g0 and t0 the devices of now, N their sum, T
//               a step's training and log-probabilities, and F what else of B more devices do not
//               shorten (rewards, checkpoints): work that scales perfectly, so a bound
#pragma once

#include <optional>
#include <vector>

#include "post_training/steps/role_steps.h"

namespace rankscope::post_training {

struct BestSplit {
  std::int64_t generate_gpus = 0, train_gpus = 0;
  double step = 0;  // ns
  double now = 0;   // by the same formula with the devices of now
};

// A step of the trainer, in ns.
struct TrainerStep {
  double train = 0, fixed = 0, sync = 0;
};

// O(N steps); beyond 100,000 such only every so many-th split is tried.
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
  // max(G, B) + S: the step of roles that run side by side.
  double SideBySide() const;
};

// nullopt where generation or training is not known.
std::optional<Overlap> OverlapOf(const std::vector<RoleSteps>& roles, const PostData& data);

// The role whose steps are the job's: the colocated one, else the trainer, else the first.
const RoleSteps* Pace(const std::vector<RoleSteps>& roles);

}  // namespace rankscope::post_training
