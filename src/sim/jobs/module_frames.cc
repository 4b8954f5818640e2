#include "sim/jobs/module_frames.h"

namespace rankscope::sim {
namespace {

constexpr std::string_view kCall = "torch/nn/modules/module.py(1750): _call_impl";

}  // namespace

ModuleFrames::ModuleFrames(const std::vector<OpUnit>& units, const ModulePlace& place)
    : units_(units), place_(place) {
  for (const OpUnit& unit : units) {
    int before = 0, all = 0;
    for (const OpUnit& other : units) {
      if (other.module != unit.module) continue;
      if (&other < &unit) ++before;
      ++all;
    }
    number_.push_back(before);
    of_class_.push_back(all);
  }
}

void ModuleFrames::Open(std::size_t index, SegmentBuilder* builder) const {
  const OpUnit& unit = units_[index];
  if (!unit.module.empty()) {
    builder->OpenFrame({.name = unit.module,
                        .number = place_.first + number_[index],
                        .per_item = of_class_[index],
                        .items = place_.items});
    builder->OpenFrame({.name = kCall});
  }
  if (!unit.function.empty()) builder->OpenFrame({.name = unit.function});
}

void ModuleFrames::Close(std::size_t index, SegmentBuilder* builder) const {
  const OpUnit& unit = units_[index];
  if (!unit.function.empty()) builder->CloseFrame();
  if (!unit.module.empty()) builder->CloseFrame().CloseFrame();
}

void OpenModule(std::string_view name, std::string_view function, const ModulePlace& place,
                SegmentBuilder* builder) {
  builder->OpenFrame({.name = name, .number = place.first, .per_item = 1, .items = place.items});
  builder->OpenFrame({.name = kCall}).OpenFrame({.name = function});
}

void CloseModule(SegmentBuilder* builder) { builder->CloseFrame().CloseFrame().CloseFrame(); }

}  // namespace rankscope::sim
