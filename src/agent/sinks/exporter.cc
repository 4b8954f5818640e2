#include "agent/sinks/exporter.h"

#include "base/caught.h"

namespace rankscope::agent {

Snapshots Exporter::Fresh::Of(const Snapshots& all) {
  Snapshots fresh;
  for (const auto& snapshot : all) {
    std::shared_ptr<const Snapshot>& last = last_[snapshot->source];
    if (last == snapshot) continue;
    last = snapshot;
    if (!snapshot->readings.empty()) fresh.push_back(snapshot);
  }
  return fresh;
}

void Exporter::Start() {
  if (!outboxes_.empty()) thread_ = std::thread([this] { Run(); });
}

void Exporter::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Exporter::Run() {
  Fresh fresh;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, interval_, [this] { return is_ending_; })) return;
    }
    const Snapshots snapshots = fresh.Of(telemetry_());
    std::uint64_t readings = 0;
    for (const auto& snapshot : snapshots) readings += snapshot->readings.size();
    if (readings == 0) continue;
    for (const auto& outbox : outboxes_) {
      const Status added = Caught([&] { outbox->Add(outbox->sink().Encode(snapshots), readings); });
      if (!added.ok()) outbox->Lose(readings, added);
    }
  }
}

}  // namespace rankscope::agent
