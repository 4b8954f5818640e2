// Exporter: sends new readings to every sink, at an interval.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/sinks/outbox.h"
#include "agent/telemetry/snapshot.h"

namespace rankscope::agent {

class Exporter {
 public:
  // Snapshots that were not exported before.
  class Fresh {
   public:
    Snapshots Of(const Snapshots& all);

   private:
    std::map<std::string_view, std::shared_ptr<const Snapshot>> last_;
  };

  // `telemetry` returns the current snapshots; called on the exporter's thread.
  Exporter(std::vector<std::unique_ptr<Outbox>> outboxes, std::function<Snapshots()> telemetry,
           std::chrono::milliseconds interval)
      : outboxes_(std::move(outboxes)), telemetry_(std::move(telemetry)), interval_(interval) {}
  ~Exporter() { Stop(); }

  // Runs until Stop; does nothing without an outbox.
  void Start();
  void Stop();

  const std::vector<std::unique_ptr<Outbox>>& outboxes() const { return outboxes_; }

 private:
  void Run();

  const std::vector<std::unique_ptr<Outbox>> outboxes_;
  const std::function<Snapshots()> telemetry_;
  const std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace rankscope::agent
