// Calls and their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fix/python/edits.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// A call's arguments in brackets; none of `f(x for x in y)`.
Node ArgumentsOf(const Node& call);
// Those that are told by their place.
std::vector<Node> PlainArguments(const Node& call);
// The value of `name=value`; none where there is none.
Node Keyword(const Node& call, std::string_view name);
// Whether all of its arguments stand there: no *args and no **kwargs.
bool HasOwnArguments(const Node& call);

struct NewKeyword {
  std::string_view name, value;
};
// These, at least one, behind all arguments of a call that has brackets and none of them: on a line
// of their own where the last argument has one.
Edit AddKeywords(const Node& call, const std::vector<NewKeyword>& keywords);
// Without `name=value`, which it has.
Edit RemoveKeyword(const Node& call, std::string_view name);
// Another value of `name=`, which it has.
Edit ChangeKeyword(const Node& call, std::string_view name, std::string_view value);

// `object.method(...)`: the object; none for another call.
Node ObjectOf(const Node& call, std::string_view method);
// The calls `X.method(...)` inside of a node.
std::vector<Node> MethodCalls(const Node& inside, std::string_view method);

// The value of a number without a dot; none for what is no such literal.
std::optional<std::int64_t> IntegerOf(const Node& literal);
// The value of a number with or without a dot; none for what is no such literal.
std::optional<double> NumberOf(const Node& literal);
// What stands between the quotes of a plain string; none for others.
std::optional<std::string> StringOf(const Node& literal);

}  // namespace rankscope::fix
