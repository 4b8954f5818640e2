// What a specification computes, whoever does it: the interpreter (interpreter.h), or C++ that was
// generated of it (compile/).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "probe/check/spec.h"
#include "probe/run/arithmetic.h"

namespace rankscope::probe {

struct Sample {
  Value value;               // absent: it was not read, or could not be
  std::int64_t time_ns = 0;  // of the round that read it
};

// Of one instance, a sample a source.
struct Samples {
  std::vector<Sample> now, before;
};

class Program {
 public:
  // What is kept of one instance between rounds.
  struct Memory {
    virtual ~Memory() = default;
  };
  struct Input {
    const Samples& samples;
    std::int64_t index;  // of the instance
    FaultCounts& faults;
  };

  virtual ~Program() = default;
  // Its nodes and names are the interpreter's alone.
  virtual const DeviceSpec& device() const = 0;
  virtual std::unique_ptr<Memory> NewMemory() const = 0;
  // Whether an instance is wanted, how many there are, an argument of a call.
  virtual Value Where(const Input& input) const = 0;
  virtual Value Count(const Input& input) const = 0;
  virtual Value Argument(int source, int argument, const Input& input) const = 0;
  // Of what depends on sources that were read in this round. `metrics` are as the exports.
  virtual void Evaluate(const Input& input, const std::vector<char>& is_read, Memory& memory,
                        std::vector<Value>& metrics) const = 0;
};

}  // namespace rankscope::probe
