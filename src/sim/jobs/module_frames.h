// ModuleFrames: the Python frames around the operations of a model's part, as a profile with stacks
// has them: the module's call, what torch runs for it, and the module's own function.
//
//   nn.Module: Linear_5
//     torch/nn/modules/module.py(1750): _call_impl
//       torch/nn/modules/linear.py(125): forward
//
// Modules are numbered by class. Without stacks nothing is added.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/model/catalog.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {

// Where a part's modules stand among those of their class.
struct ModulePlace {
  static constexpr int kEveryItem = std::numeric_limits<int>::max();
  int items = 1;  // the part is in the model so often: item i of a call is occurrence i mod items
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
  std::vector<int> of_class_;  // by unit: how many of its class the part has
};

// The call of a module of that class and its own function, around what it consists of.
void OpenModule(std::string_view name, std::string_view function, const ModulePlace& place,
                SegmentBuilder* builder);
void CloseModule(SegmentBuilder* builder);

}  // namespace rankscope::sim
