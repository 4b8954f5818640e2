// The loss of a language model as several kernels over all logits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "insight/base/rule_input.h"
#include "insight/evidence/loss/selection.h"

namespace rankscope {

// Kernels other than products that go over logits: over as many values, or half as many at least,
// with the vocabulary as the last size, which a kernel of log_softmax names. Use it through
// RuleInput::Shared. O(nodes).
class LossParts {
 public:
  explicit LossParts(const RuleInput& input);

  const Selection& over_logits() const { return over_logits_; }
  // The part of their time on the rank (dense number) that aten::cross_entropy_loss and its
  // gradient take if logits have 16 bits; 1 where they are that already, or nothing tells.
  double LeftOf(std::uint32_t rank) const { return left_[rank]; }
  // "[8192, 128256]": the largest.
  const std::string& logits() const { return logits_; }
  // Whether the node is one and they are told (unfused-loss); then no other rule tells them.
  bool Claims(NodeId node) const { return is_told_ && over_logits_.Has(node); }
  bool is_told() const { return is_told_; }
  // Whether other work over logits is part of it, which a plain cross entropy does not do (capped
  // logits, a teacher's, an entropy), or casts that autocast makes for the loss.
  bool does_more() const { return does_more_; }

 private:
  Selection over_logits_;
  std::vector<double> left_;
  std::string logits_;
  bool is_told_ = false;
  bool does_more_ = false;
};

}  // namespace rankscope
