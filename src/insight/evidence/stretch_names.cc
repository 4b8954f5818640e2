#include "insight/evidence/stretch_names.h"

#include "trace/row_names.h"
#include "trace/step_names.h"

namespace rankscope {

StretchNames::StretchNames(const RuleInput& input) : graph_(&input.graph()) {
  of_kind_.reserve(graph_->kinds().size());
  for (const NodeKind& kind : graph_->kinds()) {
    const std::string& name = kind.op.empty() ? kind.name : kind.op;
    of_kind_.push_back(IsDevice(kind.work) || MarksStep(name) ? "" : NameWithoutNumbers(name));
  }
}

}  // namespace rankscope
