// Sink: a place that telemetry is brought to.
#pragma once

#include <string>
#include <string_view>

#include "agent/telemetry/snapshot.h"
#include "base/status.h"

namespace rankscope::agent {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual std::string_view name() const = 0;  // "otlp": a label of metrics
  // What is sent of snapshots that were not sent before. On one thread, always the same; quick.
  virtual std::string Encode(const Snapshots& fresh) = 0;
  // Brings it there. On a thread of its own; may block. kIo: it may go later; any other error: it
  // will never be taken.
  virtual Status Send(const std::string& encoded) = 0;
  // Ends what Send waits for. From any thread.
  virtual void Abort() = 0;
};

}  // namespace rankscope::agent
