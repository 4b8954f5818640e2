// Calls and their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fix/python/edits.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A call's bracketed arguments; none for `f(x for x in y)`.
Node ArgumentsOf(const Node& call);
// Positional arguments.
std::vector<Node> PlainArguments(const Node& call);
// The value of `name=value`; none if it is missing.
Node Keyword(const Node& call, std::string_view name);
// Whether all of its arguments are explicit: no *args and no **kwargs.
bool HasOwnArguments(const Node& call);

struct NewKeyword {
  std::string_view name, value;
};
// Appends these keywords, at least one, to the arguments of a call that has brackets and none of
// them; on their own line if the last argument is on a line of its own.
Edit AddKeywords(const Node& call, const std::vector<NewKeyword>& keywords);
// Removes `name=value`, which must exist.
Edit RemoveKeyword(const Node& call, std::string_view name);
// Changes the value of `name=`, which must exist.
Edit ChangeKeyword(const Node& call, std::string_view name, std::string_view value);

// The object of `object.method(...)`; none for another call.
Node ObjectOf(const Node& call, std::string_view method);
// The calls `X.method(...)` inside a node.
std::vector<Node> MethodCalls(const Node& inside, std::string_view method);

// The value of a number without a dot; none if it is not such a literal.
std::optional<std::int64_t> IntegerOf(const Node& literal);
// The value of a number with or without a dot; none if it is not such a literal.
std::optional<double> NumberOf(const Node& literal);
// The text between the quotes of a plain string; none for other nodes.
std::optional<std::string> StringOf(const Node& literal);

}  // namespace rankscope::fix
