// Sink: a destination of telemetry.
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
  // Encodes snapshots that were not sent before. Always on the same thread; quick.
  virtual std::string Encode(const Snapshots& fresh) = 0;
  // Sends it. On its own thread; may block. kIo: a later try may succeed; any other error: it will
  // never be accepted.
  virtual Status Send(const std::string& encoded) = 0;
  // Ends the wait of Send. From any thread.
  virtual void Abort() = 0;
};

}  // namespace rankscope::agent
