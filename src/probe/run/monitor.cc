#include "probe/run/monitor.h"

#include <utility>

namespace rankscope::probe {

Monitor::Monitor(std::unique_ptr<Module> module, Clock clock)
    : module_(std::move(module)),
      clock_(std::move(clock)),
      last_(std::make_shared<const Snapshot>()) {}

std::shared_ptr<const Snapshot> Monitor::Take(std::int64_t now_ns) const {
  auto taken = std::make_shared<Snapshot>();
  taken->time_ns = now_ns;
  taken->round = module_->rounds();
  for (const InstanceState& state : module_->instances())
    taken->instances.push_back({state.instance, state.metrics});
  return taken;
}

Monitor::Answer Monitor::Read(std::chrono::nanoseconds wait) {
  std::unique_lock lock(mutex_);
  const std::int64_t now = clock_();
  if (last_->round > 0 && now < next_due_ns_) return {last_, false};
  if (is_reading_) {
    const std::uint64_t seen = last_->round;
    is_done_.wait_for(lock, wait, [&] { return !is_reading_ || last_->round != seen; });
    return {last_, last_->round == seen};
  }
  is_reading_ = true;
  lock.unlock();
  // Nobody else is here: the module is this thread's while is_reading_ holds.
  module_->Refresh(now);
  std::shared_ptr<const Snapshot> taken = Take(now);
  lock.lock();
  last_ = std::move(taken);
  next_due_ns_ = module_->NextDue_ns();
  is_reading_ = false;
  Answer answer{last_, false};
  lock.unlock();
  is_done_.notify_all();
  return answer;
}

}  // namespace rankscope::probe
