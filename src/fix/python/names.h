// Names: resolves the names of a Python file.
//
//   import torch.utils.data as D
//   loader = D.DataLoader(dataset)       names.FullName(function) == "torch.utils.data.DataLoader"
//
// A name is resolved only if all bindings that may reach the place agree. A name that is assigned,
// is a parameter, or may come from `from X import *` is not resolved.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fix/python/syntax.h"

namespace rankscope::fix {

// A construct that gives a name its value.
struct Binding {
  Node name;             // the identifier
  Node statement;        // the binding statement: assignment, for_statement, import, ...
  Node scope;            // module, function_definition, class_definition, lambda or a comprehension
  std::string imported;  // "torch.utils.data"; "": not an import
};

class Names {
 public:
  // `syntax` must outlive it.
  explicit Names(const Syntax& syntax);

  // The dotted name that imports give to an identifier or `a.b.c`; otherwise "".
  std::string FullName(const Node& expression) const;
  // All bindings of a name that may reach `place`, in text order.
  std::vector<const Binding*> Of(std::string_view name, const Node& place) const;
  // The values assigned by `name = value` in the scope of `place`, or in the scopes around it if
  // that scope does not bind the name. Empty if anything other than such assignments and parameters
  // binds it.
  std::vector<Node> AssignedTo(std::string_view name, const Node& place) const;
  // The value, if there is exactly one such assignment and no parameter with the name.
  Node ValueOf(std::string_view name, const Node& place) const;
  // The parameter of the innermost enclosing function that binds the name; none if it has other
  // bindings.
  Node ParameterOf(std::string_view name, const Node& place) const;
  // The class or function with that name, if nothing else binds the name.
  Node DefinitionOf(std::string_view name, const Node& place) const;
  // A name by which the module is imported and can be used at `place`, such as "F"; "" if there is
  // none.
  std::string ModuleName(std::string_view module, const Node& place) const;

 private:
  void AddImports(const Syntax& syntax);
  void AddOthers(const Syntax& syntax);
  void Bind(const Node& name, const Node& statement, std::string imported = {});
  void BindTargets(const Node& target, const Node& statement);
  // The bindings in the innermost enclosing scope that has any.
  std::vector<const Binding*> Innermost(std::string_view name, const Node& place) const;

  std::map<std::string, std::vector<Binding>, std::less<>> bindings_;
  std::vector<Node> wildcards_;  // `from X import *`
};

// The innermost scope to which a binding at this node belongs.
Node ScopeOf(const Node& node);

}  // namespace rankscope::fix
