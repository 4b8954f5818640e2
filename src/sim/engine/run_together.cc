#include "sim/engine/run_together.h"

#include <deque>

#include "base/check.h"
#include "sim/engine/rank_engine.h"

namespace rankscope::sim {
namespace {

class Together {
 public:
  explicit Together(const JobPlan& plan)
      : plan_(plan), meetings_(std::make_unique<JobRendezvous>(plan.layout())) {
    const int ranks = plan.options().ranks;
    waiting_.assign(static_cast<std::size_t>(ranks), false);
    for (int rank = 0; rank < ranks; ++rank) {
      engines_.emplace_back(plan, rank, meetings_.get(), nullptr);
      ready_.push_back(rank);
    }
  }

  JobRun Run() {
    std::size_t done = 0;
    while (!ready_.empty()) {
      const auto rank = static_cast<std::size_t>(ready_.front());
      ready_.pop_front();
      waiting_[rank] = !engines_[rank].Run();
      if (!waiting_[rank]) ++done;
      for (const int channel : meetings_->TakeCompleted()) Wake(channel);
    }
    RS_CHECK(done == engines_.size(), "{} of {} simulated ranks wait for each other",
             engines_.size() - done, engines_.size());
    JobRun run{.meetings = std::move(meetings_), .step_bounds_ns = {}};
    for (const RankEngine& engine : engines_) run.step_bounds_ns.push_back(engine.step_bounds_ns());
    return run;
  }

 private:
  void Wake(int channel) {
    for (const int rank : plan_.layout().channels[static_cast<std::size_t>(channel)].members) {
      if (!waiting_[static_cast<std::size_t>(rank)]) continue;
      waiting_[static_cast<std::size_t>(rank)] = false;
      ready_.push_back(rank);
    }
  }

  const JobPlan& plan_;
  std::unique_ptr<JobRendezvous> meetings_;
  std::deque<RankEngine> engines_;
  std::deque<int> ready_;
  std::vector<bool> waiting_;
};

}  // namespace

std::int64_t JobRun::MeanStepNs() const {
  std::int64_t total = 0, steps = 0;
  for (const auto& bounds : step_bounds_ns) {
    total += bounds.back() - bounds.front();
    steps += static_cast<std::int64_t>(bounds.size()) - 1;
  }
  return total / steps;
}

JobRun RunTogether(const JobPlan& plan) { return Together(plan).Run(); }

}  // namespace rankscope::sim
