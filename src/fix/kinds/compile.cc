#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/program/models.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

// Who says any of these compiles already, or shards in a way that decides where to compile.
bool DecidesItself(const Project& project) {
  constexpr std::array<std::string_view, 9> kSigns = {"torch.compile",
                                                      "dynamo",
                                                      "torch.jit",
                                                      "CUDAGraph",
                                                      "make_graphed_callables",
                                                      "deepspeed",
                                                      "accelerate",
                                                      "FullyShardedDataParallel",
                                                      "fully_shard"};
  for (const std::string_view sign : kSigns)
    if (project.Mentions(sign)) return true;
  return false;
}

bool IsWrap(const Node& value, const SourceFile& file) {
  for (const Node& call : DdpCalls(file))
    if (call == value) return true;
  return Contains(file.names().FullName(value.Field("function")), "DataParallel");
}

// `model.to(device)`, `model.cuda()`: what is done to a model where it is made.
bool Places(const Node& statement, std::string_view model) {
  const std::vector<Node> inside = statement.children();
  if (!statement.Is("expression_statement") || inside.size() != 1) return false;
  for (const std::string_view method : {"to", "cuda", "train"})
    if (ObjectOf(inside[0], method).text() == model) return true;
  return false;
}

// The statement behind which the model is ready to be compiled; none where that is not certain.
Node MadeBehind(const SourceFile& file, std::string_view model, const Node& optimizer) {
  Node last;
  for (const Node& value : file.names().AssignedTo(model, optimizer)) {
    const Node statement = StatementOf(value);
    // A branch may make another model.
    const Node around = statement.parent().parent();
    if (statement.parent().Is("block") && !around.Is("function_definition")) return {};
    if (!value.Is("call") || statement.begin() > optimizer.begin()) return {};
    if (last && IsWrap(last.children().front().Field("right"), file)) return {};
    if (!IsWrap(value, file)) last = statement;
  }
  if (!last) return {};
  bool is_behind = false;
  for (const Node& statement : last.parent().children()) {
    if (is_behind && !Places(statement, model)) break;
    if (is_behind) last = statement;
    is_behind = is_behind || statement == last;
  }
  return last.begin() < StatementOf(optimizer).begin() ? last : Node();
}

// Whether a class of the program, which the model may be of, has a method of that name.
bool HasOwnCompile(const Project& project) {
  for (std::size_t index = 0; index < project.size(); ++index)
    for (const Node& function : project.file(index).syntax().All("function_definition"))
      if (function.Field("name").text() == "compile" && function.Around("class_definition"))
        return true;
  return project.OthersMention("def compile(");
}

void LookAtCompiledStep(Look& look, std::size_t index, const Node& optimizer) {
  const SourceFile& file = look.project().file(index);
  const std::vector<Node> given = PlainArguments(optimizer);
  const Node model = given.empty() ? Node() : ObjectOf(given.front(), "parameters");
  const Node statement =
      model.Is("identifier") ? MadeBehind(file, model.text(), optimizer) : Node();
  Site site{.file = index,
            .at = statement ? statement : optimizer,
            .group = {},
            .shown = {optimizer},
            .is_in_training = !StepLoops(file.syntax()).empty()};
  if (model && Contains(file.text(), fmt::format("{}.compile(", model.text()))) {
    look.Right(std::move(site));
    return;
  }
  if (HasOwnCompile(look.project())) {
    look.Leave(std::move(site),
               "compile the model (torch.compile): a class of the program has a method compile");
    return;
  }
  if (!statement || !IsOnOwnLines(file.syntax(), statement, statement)) {
    look.Leave(std::move(site),
               "compile the model (torch.compile): where it is made is not certain");
    return;
  }
  const std::string line = fmt::format("{}.compile()", model.text());
  look.Propose({.site = std::move(site),
                .edits = {LinesBehind(file.syntax(), statement, {line})},
                .what = "the model's forward is compiled in place (torch.compile; names of its "
                        "state stay; needs "
                        "PyTorch 2.2)",
                .undo = fmt::format("remove {}", line)});
}

void LookForCompile(Look& look) {
  if (DecidesItself(look.project())) return;
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const OptimizerCall& optimizer : OptimizersOf(look.project().file(index)))
      LookAtCompiledStep(look, index, optimizer.call);
}

}  // namespace

const Kind& Compile() {
  static const Kind kKind = {
      .name = "compile",
      .findings = {"launch-bound", "unfused-elementwise"},
      .looks_for =
          "the one place where the model that an optimizer is given is made, in a program "
          "that compiles nothing and does not shard",
      .writes = "`model.compile()` (PyTorch 2.2) behind it, before DDP",
      .undo = "remove model.compile()",
      .stacks = Stacks::kSilent,
      .look = LookForCompile};
  return kKind;
}

}  // namespace rankscope::fix
