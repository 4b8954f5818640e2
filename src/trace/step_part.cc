#include "trace/step_part.h"

#include "trace/autograd_names.h"

namespace rankscope {

bool IsAutogradOp(std::string_view name) {
  if (name.starts_with(kEvaluateFunction) || name.starts_with("torch::autograd::")) return true;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with("Backward") && name.find("::") == std::string_view::npos;
}

}  // namespace rankscope
