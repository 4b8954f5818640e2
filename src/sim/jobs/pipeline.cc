#include "sim/jobs/pipeline.h"

#include <algorithm>

namespace rankscope::sim {
namespace {

class Schedule {
 public:
  Schedule(int stage, int stages) : first_(stage == 0), last_(stage + 1 == stages) {}

  std::vector<PipelineAction> Make(int warm_up, int micro_batches) {
    for (int batch = 0; batch < warm_up; ++batch) {
      ReceiveForward();
      Add(Kind::kForward, batch);
      SendForward();
    }
    const int steady = micro_batches - warm_up;
    if (steady > 0) ReceiveForward();
    for (int batch = 0; batch < steady; ++batch) {
      Add(Kind::kForward, warm_up + batch);
      SendForward();
      ReceiveBackward();
      Add(Kind::kBackward, batch);
      if (batch + 1 < steady) ReceiveForward();
      SendBackward();
    }
    for (int batch = steady; batch < micro_batches; ++batch) {
      ReceiveBackward();
      Add(Kind::kBackward, batch);
      SendBackward();
    }
    return actions_;
  }

 private:
  using Kind = PipelineAction::Kind;

  void Add(Kind kind, int micro_batch = 0) { actions_.push_back({kind, micro_batch}); }
  void SendForward() {
    if (!last_) Add(Kind::kSendForward);
  }
  void ReceiveForward() {
    if (!first_) Add(Kind::kReceiveForward);
  }
  void SendBackward() {
    if (!first_) Add(Kind::kSendBackward);
  }
  void ReceiveBackward() {
    if (!last_) Add(Kind::kReceiveBackward);
  }

  bool first_;
  bool last_;
  std::vector<PipelineAction> actions_;
};

}  // namespace

std::vector<PipelineAction> OneForwardOneBackward(int stage, int stages, int micro_batches) {
  const int warm_up = std::min(stages - stage - 1, micro_batches);
  return Schedule(stage, stages).Make(warm_up, micro_batches);
}

}  // namespace rankscope::sim
