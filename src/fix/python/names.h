// Names: what the names of a Python file stand for.
//
//   import torch.utils.data as D
//   loader = D.DataLoader(dataset)       names.FullName(function) == "torch.utils.data.DataLoader"
//
// A name stands for something only where all that binds it and may reach the place agrees: one that
// is assigned, is a parameter, or may come by `from X import *` stands for nothing known.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fix/python/syntax.h"

namespace rankscope::fix {

// What gives a name its value.
struct Binding {
  Node name;       // the identifier
  Node statement;  // that binds it: assignment, for_statement, import, function_definition, ...
  Node scope;      // module, function_definition, class_definition, lambda or a comprehension
  std::string imported;  // "torch.utils.data"; "": by no import
};

class Names {
 public:
  // `syntax` outlives it.
  explicit Names(const Syntax& syntax);

  // Of an identifier or `a.b.c` the dotted name that imports give it; else "".
  std::string FullName(const Node& expression) const;
  // All bindings of a name that may reach `place`, in the order of the text.
  std::vector<const Binding*> Of(std::string_view name, const Node& place) const;
  // The values that `name = value` gives it in the scope of `place`, or in those around where that
  // scope does not bind it. Empty where anything else than such assignments and parameters binds
  // it.
  std::vector<Node> AssignedTo(std::string_view name, const Node& place) const;
  // The value where there is one such assignment, and no parameter of the name.
  Node ValueOf(std::string_view name, const Node& place) const;
  // The parameter of the innermost function around that binds the name; none where it has others.
  Node ParameterOf(std::string_view name, const Node& place) const;
  // The class or function of that name, where that alone binds it.
  Node DefinitionOf(std::string_view name, const Node& place) const;
  // A name under which the module of that name is imported and may be used at `place`, such as "F";
  // "" for none.
  std::string ModuleName(std::string_view module, const Node& place) const;

 private:
  void AddImports(const Syntax& syntax);
  void AddOthers(const Syntax& syntax);
  void Bind(const Node& name, const Node& statement, std::string imported = {});
  void BindTargets(const Node& target, const Node& statement);
  // The bindings of the innermost scope around that has any.
  std::vector<const Binding*> Innermost(std::string_view name, const Node& place) const;

  std::map<std::string, std::vector<Binding>, std::less<>> bindings_;
  std::vector<Node> wildcards_;  // `from X import *`
};

// The innermost scope that a binding of this node is of.
Node ScopeOf(const Node& node);

}  // namespace rankscope::fix
