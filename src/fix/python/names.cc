#include "fix/python/names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::fix {
namespace {

constexpr std::array<std::string_view, 8> kScopes = {
    "module",
    "function_definition",
    "class_definition",
    "lambda",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
};

bool IsScope(const Node& node) { return std::ranges::find(kScopes, node.kind()) != kScopes.end(); }

// The identifiers that a pattern on the left of `=`, of `for` or of `as` binds.
void CollectTargets(const Node& target, std::vector<Node>& names) {
  if (target.Is("identifier")) {
    names.push_back(target);
    return;
  }
  // What these change is no name.
  if (target.Is("attribute") || target.Is("subscript")) return;
  for (const Node& child : target.children()) CollectTargets(child, names);
}

// A function's own name is of the scope around it, its parameters are of its own.
bool IsOwnName(const Node& name, const Node& statement) {
  return (statement.Is("function_definition") || statement.Is("class_definition")) &&
         name.field() == "name" && name.parent() == statement;
}

}  // namespace

Node ScopeOf(const Node& node) {
  Node around = node.parent();
  while (around && !IsScope(around)) around = around.parent();
  return around;
}

Names::Names(const Syntax& syntax) {
  AddImports(syntax);
  AddOthers(syntax);
}

void Names::Bind(const Node& name, const Node& statement, std::string imported) {
  const Node scope = IsOwnName(name, statement) ? ScopeOf(statement) : ScopeOf(name);
  bindings_[std::string(name.text())].push_back(
      {.name = name, .statement = statement, .scope = scope, .imported = std::move(imported)});
}

void Names::BindTargets(const Node& target, const Node& statement) {
  std::vector<Node> names;
  CollectTargets(target, names);
  for (const Node& name : names) Bind(name, statement);
}

void Names::AddImports(const Syntax& syntax) {
  for (const Node& statement : syntax.All("import_statement")) {
    for (const Node& name : statement.Fields("name")) {
      if (name.Is("aliased_import")) {
        Bind(name.Field("alias"), statement, std::string(name.Field("name").text()));
        continue;
      }
      // `import a.b` binds a.
      const std::vector<Node> parts = name.children();
      if (!parts.empty()) Bind(parts.front(), statement, std::string(parts.front().text()));
    }
  }
  for (const Node& statement : syntax.All("import_from_statement")) {
    const std::string module = std::string(statement.Field("module_name").text()) + ".";
    for (const Node& name : statement.Fields("name")) {
      if (name.Is("aliased_import"))
        Bind(name.Field("alias"), statement, module + std::string(name.Field("name").text()));
      else if (!name.children().empty())
        Bind(name.children().front(), statement, module + std::string(name.text()));
    }
  }
  wildcards_ = syntax.All("wildcard_import");
}

void Names::AddOthers(const Syntax& syntax) {
  for (const std::string_view kind :
       {"assignment", "augmented_assignment", "for_statement", "for_in_clause"})
    for (const Node& statement : syntax.All(kind)) BindTargets(statement.Field("left"), statement);
  for (const Node& named : syntax.All("named_expression")) BindTargets(named.Field("name"), named);
  for (const Node& target : syntax.All("as_pattern_target")) {
    const Node with = target.Around("with_statement");
    BindTargets(target, with ? with : target.parent());
  }
  for (const std::string_view kind : {"function_definition", "class_definition"})
    for (const Node& definition : syntax.All(kind)) Bind(definition.Field("name"), definition);
  for (const std::string_view kind : {"parameters", "lambda_parameters"}) {
    for (const Node& parameters : syntax.All(kind)) {
      for (const Node& parameter : parameters.children()) {
        const Node named = parameter.Field("name");
        const std::vector<Node> inside = parameter.children();
        const Node name = named                                          ? named
                          : parameter.Is("identifier") || inside.empty() ? parameter
                                                                         : inside[0];
        BindTargets(name, parameter);
      }
    }
  }
  // What `global` and `nonlocal` make of a function's names, nobody follows here: they reach all.
  for (const std::string_view kind : {"global_statement", "nonlocal_statement"}) {
    for (const Node& statement : syntax.All(kind)) {
      for (const Node& name : statement.children()) {
        bindings_[std::string(name.text())].push_back(
            {.name = name, .statement = statement, .scope = syntax.root(), .imported = {}});
      }
    }
  }
  for (auto& [name, bindings] : bindings_)
    std::ranges::stable_sort(bindings, {}, [](const Binding& each) { return each.name.begin(); });
}

std::vector<const Binding*> Names::Of(std::string_view name, const Node& place) const {
  std::vector<const Binding*> reaching;
  const auto found = bindings_.find(name);
  if (found == bindings_.end()) return reaching;
  for (const Binding& binding : found->second)
    if (binding.scope.Holds(place)) reaching.push_back(&binding);
  return reaching;
}

std::string Names::FullName(const Node& expression) const {
  if (expression.Is("attribute")) {
    const std::string object = FullName(expression.Field("object"));
    if (object.empty()) return {};
    return object + "." + std::string(expression.Field("attribute").text());
  }
  if (!expression.Is("identifier")) return {};
  std::string full;
  for (const Binding* binding : Of(expression.text(), expression)) {
    if (binding->imported.empty()) return {};
    if (!full.empty() && full != binding->imported) return {};
    full = binding->imported;
    // What comes by name may be bound anew by what comes without.
    for (const Node& wildcard : wildcards_)
      if (wildcard.begin() > binding->name.begin()) return {};
  }
  return full;
}

std::vector<const Binding*> Names::Innermost(std::string_view name, const Node& place) const {
  std::vector<const Binding*> innermost;
  for (const Binding* binding : Of(name, place)) {
    if (!innermost.empty() && innermost.front()->scope != binding->scope) {
      if (binding->scope.Holds(innermost.front()->scope)) continue;
      innermost.clear();
    }
    innermost.push_back(binding);
  }
  return innermost;
}

std::vector<Node> Names::AssignedTo(std::string_view name, const Node& place) const {
  std::vector<Node> values;
  for (const Binding* binding : Innermost(name, place)) {
    const Node& statement = binding->statement;
    if (statement.kind().ends_with("parameter") || statement.Is("identifier")) continue;
    const Node value = statement.Field("right");
    if (!statement.Is("assignment") || statement.Field("left") != binding->name || !value)
      return {};
    values.push_back(value);
  }
  return values;
}

Node Names::ValueOf(std::string_view name, const Node& place) const {
  const std::vector<Node> values = AssignedTo(name, place);
  const bool is_alone = values.size() == 1 && Innermost(name, place).size() == 1;
  return is_alone ? values.front() : Node();
}

Node Names::ParameterOf(std::string_view name, const Node& place) const {
  const auto bindings = Innermost(name, place);
  if (bindings.size() != 1) return {};
  const Node parameters = bindings.front()->statement.parent();
  return parameters.Is("parameters") ? bindings.front()->statement : Node();
}

Node Names::DefinitionOf(std::string_view name, const Node& place) const {
  const auto bindings = Of(name, place);
  if (bindings.size() != 1) return {};
  const Node& statement = bindings.front()->statement;
  return IsOwnName(bindings.front()->name, statement) ? statement : Node();
}

std::string Names::ModuleName(std::string_view module, const Node& place) const {
  for (const auto& [name, bindings] : bindings_) {
    for (const Binding& binding : bindings) {
      if (binding.imported != module || binding.name.begin() > place.end()) continue;
      // `import torch` binds torch for good where nothing else does.
      const auto reaching = Of(name, place);
      const bool is_certain = std::ranges::all_of(
          reaching, [&](const Binding* each) { return each->imported == module; });
      if (is_certain && !reaching.empty()) return name;
    }
  }
  return {};
}

}  // namespace rankscope::fix
