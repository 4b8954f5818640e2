// ModuleFrames: the Python frames around the operations of a part of the model, as in a profile
// with stacks: the module's call, torch's frame for it, and the module's own function.
//
//   nn.Module: Linear_5
//     torch/nn/modules/module.py(1750): _call_impl
//       torch/nn/modules/linear.py(125): forward
//
// Modules are numbered by class. Without stacks it adds nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/model/catalog.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {

// The position of a part's modules among all modules of their class.
struct ModulePlace {
  static constexpr int kEveryItem = std::numeric_limits<int>::max();
  int items = 1;  // occurrences of the part; item i of a call is occurrence i mod items
  int first = 0;  // the number of the first module of each class
};

class ModuleFrames {
 public:
  ModuleFrames(const std::vector<OpUnit>& units, const ModulePlace& place);

  // Around operation `index` of the units.
  void Open(std::size_t index, SegmentBuilder* builder) const;
  void Close(std::size_t index, SegmentBuilder* builder) const;

 private:
  const std::vector<OpUnit>& units_;
  ModulePlace place_;
  std::vector<int> number_;    // by unit: of its class, within the part
  std::vector<int> of_class_;  // by unit: modules of its class in the part
};

// The call of a module of that class and its own function, around the module's contents.
void OpenModule(std::string_view name, std::string_view function, const ModulePlace& place,
                SegmentBuilder* builder);
void CloseModule(SegmentBuilder* builder);

}  // namespace rankscope::sim
