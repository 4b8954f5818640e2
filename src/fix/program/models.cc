#include "fix/program/models.h"

#include "fix/python/calls.h"

namespace rankscope::fix {

std::vector<OptimizerCall> OptimizersOf(const SourceFile& file) {
  constexpr std::string_view kModule = "torch.optim.";
  std::vector<OptimizerCall> optimizers;
  for (const Node& call : file.syntax().All("call")) {
    const std::string full = file.names().FullName(call.Field("function"));
    if (!full.starts_with(kModule)) continue;
    const std::string name = full.substr(full.rfind('.') + 1);
    const bool is_class = name.front() >= 'A' && name.front() <= 'Z';
    // torch.optim.lr_scheduler.StepLR takes an optimizer.
    if (is_class && !full.starts_with("torch.optim.lr_scheduler.") &&
        !full.starts_with("torch.optim.swa_utils."))
      optimizers.push_back({call, name});
  }
  return optimizers;
}

std::set<std::string> ModelNames(const SourceFile& file) {
  std::set<std::string> names;
  for (const OptimizerCall& optimizer : OptimizersOf(file)) {
    const std::vector<Node> given = PlainArguments(optimizer.call);
    const Node parameters = given.empty() ? Keyword(optimizer.call, "params") : given.front();
    const Node model = ObjectOf(parameters, "parameters");
    if (model.Is("identifier")) names.insert(std::string(model.text()));
  }
  for (const Node& call : DdpCalls(file)) {
    const Node assignment = call.parent();
    if (assignment.Is("assignment") && assignment.Field("left").Is("identifier"))
      names.insert(std::string(assignment.Field("left").text()));
  }
  return names;
}

std::vector<Node> DdpCalls(const SourceFile& file) {
  std::vector<Node> calls;
  for (const Node& call : file.syntax().All("call")) {
    const std::string name = file.names().FullName(call.Field("function"));
    if (name == "torch.nn.parallel.DistributedDataParallel" ||
        name == "torch.nn.parallel.distributed.DistributedDataParallel")
      calls.push_back(call);
  }
  return calls;
}

}  // namespace rankscope::fix
