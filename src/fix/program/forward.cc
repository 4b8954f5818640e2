#include "fix/program/forward.h"

#include <algorithm>
#include <set>

#include "fix/program/models.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

// The model that a statement calls; "" where it calls none.
std::string ModelCalled(const Node& statement, const std::set<std::string>& models) {
  for (const Node& call : statement.All("call")) {
    const Node function = call.Field("function");
    if (function.Is("identifier") && models.contains(std::string(function.text())))
      return std::string(function.text());
  }
  return {};
}

// A `with` around plain statements, too, such as autocast.
bool IsPlain(const Node& statement) {
  if (!statement.Is("with_statement")) return statement.Is("expression_statement");
  return std::ranges::all_of(statement.Field("body").children(),
                             [](const Node& inside) { return inside.Is("expression_statement"); });
}

}  // namespace

Forward ForwardOf(const SourceFile& file, const StepLoop& step) {
  Forward forward;
  forward.backward = StatementOf(step.backward);
  const Node block = forward.backward.parent();
  const std::set<std::string> models = ModelNames(file);
  for (const Node& statement : block.children()) {
    if (statement == forward.backward) break;
    if (!forward.first) {
      forward.model = ModelCalled(statement, models);
      if (forward.model.empty()) continue;
      forward.first = statement;
    }
    forward.last = statement;
    if (!IsPlain(statement)) forward.why_not = "the forward pass is no plain run of statements";
  }
  if (!forward.first)
    forward.why_not = "where the forward pass begins is not certain";
  else if (forward.why_not.empty() && !IsOnOwnLines(file.syntax(), forward.first, forward.backward))
    forward.why_not = "statements of the step share lines";
  return forward;
}

}  // namespace rankscope::fix
