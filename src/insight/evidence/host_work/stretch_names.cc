#include "insight/evidence/host_work/stretch_names.h"

#include "trace/row_names.h"
#include "trace/step_names.h"

namespace rankscope {

StretchNames::StretchNames(const RuleInput& input) : graph_(&input.graph()) {
  of_kind_.reserve(graph_->kinds().size());
  for (const NodeKind& kind : graph_->kinds()) {
    const std::string& name = kind.op.empty() ? kind.name : kind.op;
    // Of an op a number is part of its name: aten::conv2d.
    const bool is_op = kind.work == Work::kOp && name.find("::") != std::string::npos;
    of_kind_.push_back(IsDevice(kind.work) || MarksStep(name) ? ""
                       : is_op                                ? name
                                                              : NameWithoutNumbers(name));
  }
}

}  // namespace rankscope
