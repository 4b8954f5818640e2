#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "fix/kinds/kinds.h"
#include "fix/program/forward.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

// Who says anything of these has decided on types already.
bool ChoosesTypes(const Project& project) {
  constexpr std::array<std::string_view, 10> kSigns = {
      "autocast",  "GradScaler", ".half()", "bfloat16",       "float16",
      "deepspeed", "accelerate", "apex",    "MixedPrecision", "float8"};
  for (const std::string_view sign : kSigns)
    if (project.Mentions(sign)) return true;
  return false;
}

// Autocast refuses this loss, whose gradient leaves the range of 16 bits.
bool HasLossOfProbabilities(const SourceFile& file) {
  return Contains(file.text(), "BCELoss") || Contains(file.text(), "binary_cross_entropy(");
}

bool IsZeroing(const Node& statement) {
  const std::vector<Node> inside = statement.children();
  return statement.Is("expression_statement") && inside.size() == 1 &&
         ObjectOf(inside[0], "zero_grad");
}

// The last statement of the forward pass that has to run in 16 bits.
Node LastOf(const Forward& forward) {
  Node last = forward.first;
  for (const Node& statement : forward.first.parent().children())
    if (statement.begin() > last.begin() && statement.begin() <= forward.last.begin() &&
        !IsZeroing(statement))
      last = statement;
  return last;
}

// The name at the root of what `backward` is called of.
std::string_view LossName(Node loss) {
  for (;;) {
    if (loss.Is("call"))
      loss = loss.Field("function");
    else if (loss.Is("attribute"))
      loss = loss.Field("object");
    else
      return loss.Is("identifier") ? loss.text() : std::string_view();
  }
}

Node FunctionAround(const Node& node) {
  Node scope = node.parent();
  while (scope.parent() && !scope.Is("function_definition")) scope = scope.parent();
  return scope;
}

bool IsWithin(const Node& node, const Node& first, const Node& last) {
  return first.begin() <= node.begin() && node.end() <= last.end();
}

// Whether what the statements give a name is used by others, or by the next step.
bool IsUsedOutside(const Node& name, const Node& first, const Node& last) {
  for (const Node& use : UsesOf(name.text(), FunctionAround(first))) {
    const bool is_before = use.begin() < StatementOf(name).end() && use != name;
    if (!IsTarget(use) && (!IsWithin(use, first, last) || is_before)) return true;
  }
  return false;
}

// Why values of 16 bits may come where 32 were; "" where they do not.
std::string WhyNotOnlyLoss(const Node& first, const Node& last, std::string_view loss) {
  for (const Node& statement : first.parent().children()) {
    if (!IsWithin(statement, first, last)) continue;
    for (const Node& plain : statement.All("expression_statement"))
      if (!plain.children().front().Is("assignment") && !IsZeroing(plain))
        return "a statement of the forward pass hands values on";
    for (const std::string_view kind : {"assignment", "named_expression", "as_pattern_target"}) {
      for (const Node& given : statement.All(kind)) {
        const Node target = given.Is("assignment")         ? given.Field("left")
                            : given.Is("named_expression") ? given.Field("name")
                                                           : given;
        if (!target.All("attribute").empty() || !target.All("subscript").empty())
          return fmt::format("{} would hold values of 16 bits", target.text());
        for (const Node& name : target.All("identifier"))
          if (name.text() != loss && IsUsedOutside(name, first, last))
            return fmt::format("{} would have 16 bits where it is used elsewhere", name.text());
      }
    }
  }
  return {};
}

void LookAtStepAutocast(Look& look, std::size_t index, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  const Forward forward = ForwardOf(file, step);
  Site site{.file = index,
            .at = forward.first ? forward.first : forward.backward,
            .group = step.loop,
            .shown = {step.loop},
            .is_in_training = true};
  const std::string torch = file.names().ModuleName("torch", forward.backward);
  std::string why = forward.why_not;
  if (why.empty() && HasLossOfProbabilities(file))
    why = "autocast refuses binary_cross_entropy: use binary_cross_entropy_with_logits";
  if (why.empty() && torch.empty()) why = "the file does not import torch by its name";
  std::vector<Edit> edits;
  // Programs that run without CUDA devices, too, say so.
  const std::string enabled = look.project().Mentions("is_available")
                                  ? fmt::format(", enabled={}.cuda.is_available()", torch)
                                  : std::string();
  const std::string header =
      fmt::format("with {}.autocast(\"cuda\", dtype={}.bfloat16{}):", torch, torch, enabled);
  if (why.empty())
    why = WhyNotOnlyLoss(forward.first, LastOf(forward),
                         LossName(ObjectOf(step.backward, "backward")));
  if (why.empty()) edits = Below(file.syntax(), header, forward.first, LastOf(forward));
  if (why.empty() && edits.empty()) why = "a text over several lines stands in the forward pass";
  if (!why.empty()) {
    look.Leave(std::move(site), "run the forward pass and the loss under torch.autocast: " + why);
    return;
  }
  look.Propose(
      {.site = std::move(site),
       .edits = std::move(edits),
       .what = "the forward pass and the loss run in bfloat16 where that is safe (autocast)",
       .undo = "remove the line `with ...autocast...` and move what is below it back"});
}

void LookForAutocast(Look& look) {
  if (!look.device().has_bf16 || !look.device().is_cuda || ChoosesTypes(look.project())) return;
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const StepLoop& step : StepLoops(look.project().file(index).syntax()))
      LookAtStepAutocast(look, index, step);
}

}  // namespace

const Kind& Autocast() {
  static const Kind kKind = {
      .name = "autocast",
      .findings = {"no-tensor-cores"},
      .looks_for =
          "a training loop whose forward pass and loss are plain statements that leave nothing but "
          "the loss, in a program that says nothing of 16-bit types; on devices that have bfloat16",
      .writes = "`with torch.autocast(\"cuda\", dtype=torch.bfloat16):` around them",
      .undo = "remove the `with` and move the statements back",
      .stacks = Stacks::kSilent,
      .look = LookForAutocast};
  return kKind;
}

}  // namespace rankscope::fix
