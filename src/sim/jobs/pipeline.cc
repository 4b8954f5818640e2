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

class InterleavedSchedule {
 public:
  InterleavedSchedule(int stage, int stages, int chunks)
      : stage_(stage), stages_(stages), chunks_(chunks) {}

  std::vector<PipelineAction> Make(int micro_batches) {
    const int passes = micro_batches * chunks_;
    // With no more micro-batches than stages all forwards come first.
    const int ahead = 2 * (stages_ - stage_ - 1) + (chunks_ - 1) * stages_;
    const int warm_up = micro_batches == stages_ ? passes : std::min(ahead, passes);
    for (int pass = 0; pass < warm_up; ++pass) Forward(pass);
    for (int pass = warm_up; pass < passes; ++pass) {
      Forward(pass);
      Backward(pass - warm_up);
    }
    for (int pass = passes - warm_up; pass < passes; ++pass) Backward(pass);
    return actions_;
  }

 private:
  using Kind = PipelineAction::Kind;

  int ChunkOf(int pass) const { return pass / stages_ % chunks_; }
  int BatchOf(int pass) const { return pass / (stages_ * chunks_) * stages_ + pass % stages_; }
  void Add(Kind kind, int pass, int chunk) { actions_.push_back({kind, BatchOf(pass), chunk}); }

  void Forward(int pass) {
    const int chunk = ChunkOf(pass);
    const bool begins = stage_ == 0 && chunk == 0;
    const bool ends = stage_ + 1 == stages_ && chunk + 1 == chunks_;
    if (!begins) Add(Kind::kReceiveForward, pass, chunk);
    Add(Kind::kForward, pass, chunk);
    if (!ends) Add(Kind::kSendForward, pass, chunk);
  }
  void Backward(int pass) {
    const int chunk = chunks_ - 1 - ChunkOf(pass);
    const bool begins = stage_ + 1 == stages_ && chunk + 1 == chunks_;
    const bool ends = stage_ == 0 && chunk == 0;
    if (!begins) Add(Kind::kReceiveBackward, pass, chunk);
    Add(Kind::kBackward, pass, chunk);
    if (!ends) Add(Kind::kSendBackward, pass, chunk);
  }

  int stage_, stages_, chunks_;
  std::vector<PipelineAction> actions_;
};

}  // namespace

std::vector<PipelineAction> Interleaved(int stage, int stages, int micro_batches, int chunks) {
  return InterleavedSchedule(stage, stages, chunks).Make(micro_batches);
}

std::vector<PipelineAction> OneForwardOneBackward(int stage, int stages, int micro_batches) {
  const int warm_up = std::min(stages - stage - 1, micro_batches);
  return Schedule(stage, stages).Make(warm_up, micro_batches);
}

}  // namespace rankscope::sim
