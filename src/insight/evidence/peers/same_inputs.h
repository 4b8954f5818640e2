// What some ranks compute against the others of their role, op by op and by the shapes of inputs,
// whatever kernels do it: another model of device runs other kernels in other blocks for the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

class SameInputs {
 public:
  // `ranks`: dense numbers, ascending. One pass over the graph.
  SameInputs(const RuleInput& input, const std::vector<std::uint32_t>& ranks);

  // Whether they do the same work: of what they compute by inputs of known shapes, most of the time
  // is in ops with inputs that the others have, too, and their FLOPs in a step agree. False without
  // recorded shapes.
  bool Hold() const;
  // Whether they run kernels, by name, that the others do not, for a part of their computing.
  bool HaveOtherKernels() const;
  // The ops that only these ranks run, and those that only the others run, the longest first, and
  // what the first take a rank in a step; not those of short kernels beside them.
  struct OtherOps {
    std::vector<std::string> these, others;
    double these_ns = 0;
  };
  OtherOps OpsOfOneSide() const;
  // Of what a node of these ranks takes, the part that the others take for the same op and inputs,
  // at most 1; 1 where they have no such.
  double ShareOfOthers(NodeId node) const;

 private:
  struct Sums {
    double own_ns = 0, others_ns = 0;  // of a rank's step, in the mean
  };
  using Key = std::tuple<std::uint32_t, std::string, std::string>;  // peers, op, shapes
  Key KeyOf(NodeId node) const;

  const RuleInput* input_;
  std::map<Key, Sums> by_inputs_;
  std::vector<Sums> by_kind_;                // by group of peers, and in it by kind of node
  double own_flops_ = 0, others_flops_ = 0;  // of a rank's step, in the mean
};

}  // namespace rankscope
