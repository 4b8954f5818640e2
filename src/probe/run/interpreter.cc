#include "probe/run/interpreter.h"

#include <algorithm>

#include "probe/run/evaluate.h"

namespace rankscope::probe {

Interpreter::Interpreter(const DeviceSpec& device)
    : device_(device), is_name_needed_(NeededOf(device).names) {
  for (const Named& one : device_.names) sources_of_names_.push_back(SourcesOf(device_, one.node));
}

std::unique_ptr<Program::Memory> Interpreter::NewMemory() const {
  auto memory = std::make_unique<InterpreterMemory>();
  memory->names.resize(device_.names.size());
  memory->names_before.resize(device_.names.size());
  return memory;
}

Value Interpreter::Where(const Input& input) const {
  return Evaluator(device_, input.samples, input.index, input.faults).Of(device_.where);
}

Value Interpreter::Count(const Input& input) const {
  return Evaluator(device_, input.samples, input.index, input.faults).Of(device_.count);
}

Value Interpreter::Argument(int source, int argument, const Input& input) const {
  const Source& of = device_.sources[static_cast<std::size_t>(source)];
  return Evaluator(device_, input.samples, input.index, input.faults)
      .Of(of.arguments[static_cast<std::size_t>(argument)].node);
}

void Interpreter::Evaluate(const Input& input, const std::vector<char>& is_read, Memory& of,
                           std::vector<Value>& metrics) const {
  auto& memory = static_cast<InterpreterMemory&>(of);
  Evaluator evaluator(device_, input.samples, input.index, input.faults);
  evaluator.SetNames(memory.names, memory.names_before);
  for (std::size_t i = 0; i < device_.names.size(); ++i) {
    const std::vector<int>& sources = sources_of_names_[i];
    const bool is_due =
        sources.empty() ? memory.is_new : std::ranges::any_of(sources, [&](int one) {
          return is_read[static_cast<std::size_t>(one)] != 0;
        });
    if (is_name_needed_[i] == 0 || !is_due) continue;
    if (device_.names[i].needs_previous)
      memory.names_before[i] = evaluator.OfBefore(device_.names[i].node);
    memory.names[i] = evaluator.Of(device_.names[i].node);
  }
  memory.is_new = false;
  for (std::size_t i = 0; i < metrics.size(); ++i)
    metrics[i] = memory.names[static_cast<std::size_t>(device_.exports[i].named)];
}

}  // namespace rankscope::probe
