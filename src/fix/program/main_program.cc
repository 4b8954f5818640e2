#include "fix/program/main_program.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "fix/program/loops.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

bool IsImport(const Node& statement) {
  return statement.Is("import_statement") || statement.Is("import_from_statement") ||
         statement.Is("future_import_statement");
}

// A text of the module, such as its description.
bool IsText(const Node& statement) {
  const std::vector<Node> inside = statement.children();
  return statement.Is("expression_statement") && inside.size() == 1 && inside[0].Is("string");
}

// What programs set up between their imports, for what they import next.
bool IsSetting(const Node& statement) {
  return statement.Is("expression_statement") &&
         (statement.text().starts_with("os.environ") || statement.text().starts_with("sys.path"));
}

bool IsRun(const SourceFile& file) {
  for (const Node& condition : file.syntax().All("comparison_operator"))
    if (Contains(condition.text(), "__name__") && Contains(condition.text(), "__main__"))
      return true;
  return false;
}

}  // namespace

bool IsTrainingProgram(const SourceFile& file) {
  if (!FirstImportOf(file, "torch")) return false;
  return IsRun(file) || !StepLoops(file.syntax()).empty();
}

Node LastImport(const SourceFile& file) {
  Node last;
  for (const Node& statement : file.syntax().root().children()) {
    if (IsImport(statement))
      last = statement;
    else if (!IsText(statement) && !IsSetting(statement))
      break;
  }
  return last;
}

Node FirstImportOf(const SourceFile& file, std::string_view module) {
  const auto is_of = [&](std::string_view name) {
    return name == module || name.starts_with(fmt::format("{}.", module));
  };
  for (const Node& statement : file.syntax().root().children()) {
    if (statement.Is("import_from_statement") && is_of(statement.Field("module_name").text()))
      return statement;
    if (!statement.Is("import_statement")) continue;
    for (const Node& name : statement.Fields("name"))
      if (is_of(name.Is("aliased_import") ? name.Field("name").text() : name.text()))
        return statement;
  }
  return {};
}

std::vector<Edit> ImportFor(const SourceFile& file, std::string_view module, const Node& place) {
  const auto bindings = file.names().Of(module, place);
  if (!bindings.empty()) return {};
  return {LinesBehind(file.syntax(), LastImport(file), {fmt::format("import {}", module)})};
}

bool CanImport(const SourceFile& file, std::string_view module, const Node& place) {
  const auto bindings = file.names().Of(module, place);
  if (bindings.empty()) {
    const Node last = LastImport(file);
    return last && last.begin() < place.begin() && IsOnOwnLines(file.syntax(), last, last);
  }
  return std::ranges::all_of(bindings, [&](const Binding* binding) {
    return binding->imported == module && binding->scope.Is("module");
  });
}

}  // namespace rankscope::fix
