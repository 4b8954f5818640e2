// The interpreter: evaluates expressions of one instance from samples of its sources.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/check/spec.h"
#include "probe/run/program.h"

namespace rankscope::probe {

// Refers to its constructor's arguments. The tree's depth bounds its recursion.
class Evaluator {
 public:
  Evaluator(const DeviceSpec& device, const Samples& samples, std::int64_t index,
            FaultCounts& faults)
      : device_(device), samples_(samples), index_(index), faults_(&faults) {}

  // Values of all names of the device, which `Of` looks up.
  void SetNames(const std::vector<Value>& now, const std::vector<Value>& before) {
    names_now_ = &now;
    names_before_ = &before;
  }
  Value Of(int node);
  // Evaluated on the previous samples. Their faults were counted when they were new.
  Value OfBefore(int node);

 private:
  const Node& At(int node) const { return device_.nodes[static_cast<std::size_t>(node)]; }
  // The stored value of a node that is not computed, so that access to an element copies no list.
  const Value* Stored(int node) const;
  Value OfNode(const Node& node);
  Value Named(const Node& node);
  Value Operation(const Node& node);
  Value Condition(const Node& node);
  Value Equality(const Node& node);
  Value Choice(const Node& node);
  Value ListOf(const Node& node);
  Value Folded(const Node& node);
  Value Element(const Node& node);
  Value Converted(const Node& node);
  Value Change(const Node& node);
  template <typename T>
  Value Arithmetic(const Node& node);
  template <typename T>
  Value Ordered(const Node& node);
  template <typename T>
  Value FoldedAs(const Node& node, const std::vector<Value>& items);
  template <typename T>
  Value ChangeAs(const Node& node);
  template <typename T>
  Maybe<T> As(int node);

  const DeviceSpec& device_;
  const Samples& samples_;
  std::int64_t index_;
  FaultCounts* faults_;
  const std::vector<Value>* names_now_ = nullptr;
  const std::vector<Value>* names_before_ = nullptr;
  bool is_before_ = false;
  std::int64_t loop_ = 0;
};

}  // namespace rankscope::probe
