// Evaluates a specification from its typed tree.
#pragma once

#include <vector>

#include "probe/run/program.h"

namespace rankscope::probe {

struct InterpreterMemory final : Program::Memory {
  std::vector<Value> names, names_before;  // indexed like the device's names
  bool is_new = true;
};

// Refers to the specification. Thread-safe.
class Interpreter final : public Program {
 public:
  explicit Interpreter(const DeviceSpec& device);

  const DeviceSpec& device() const override { return device_; }
  std::unique_ptr<Memory> NewMemory() const override;
  Value Where(const Input& input) const override;
  Value Count(const Input& input) const override;
  Value Argument(int source, int argument, const Input& input) const override;
  void Evaluate(const Input& input, const std::vector<char>& is_read, Memory& memory,
                std::vector<Value>& metrics) const override;

 private:
  const DeviceSpec& device_;
  std::vector<char> is_name_needed_;
  std::vector<std::vector<int>> sources_of_names_;
};

}  // namespace rankscope::probe
