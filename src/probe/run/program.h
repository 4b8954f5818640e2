// The computation of a specification, by the interpreter (interpreter.h) or by C++ generated from
// it (compile/).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "probe/check/spec.h"
#include "probe/run/arithmetic.h"

namespace rankscope::probe {

struct Sample {
  Value value;               // absent: not read, or the reading failed
  std::int64_t time_ns = 0;  // of the round that read it
};

// One sample per source, for one instance.
struct Samples {
  std::vector<Sample> now, before;
};

class Program {
 public:
  // The state of one instance between rounds.
  struct Memory {
    virtual ~Memory() = default;
  };
  struct Input {
    const Samples& samples;
    std::int64_t index;  // of the instance
    FaultCounts& faults;
  };

  virtual ~Program() = default;
  // Its nodes and names are used only by the interpreter.
  virtual const DeviceSpec& device() const = 0;
  virtual std::unique_ptr<Memory> NewMemory() const = 0;
  // Whether an instance is wanted, the number of instances, an argument of a call.
  virtual Value Where(const Input& input) const = 0;
  virtual Value Count(const Input& input) const = 0;
  virtual Value Argument(int source, int argument, const Input& input) const = 0;
  // Evaluates what depends on sources read in this round. `metrics` is in the order of the exports.
  virtual void Evaluate(const Input& input, const std::vector<char>& is_read, Memory& memory,
                        std::vector<Value>& metrics) const = 0;
};

}  // namespace rankscope::probe
