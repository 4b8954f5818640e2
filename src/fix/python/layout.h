// Lines of Python: where statements stand, and text that goes between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fix/python/edits.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// Of a file: "\r\n" where its first line ends so.
std::string_view LineEnd(std::string_view text);
// The blanks before a line's first letter, for the line of that byte.
std::string_view IndentOf(std::string_view text, std::size_t byte);
// One level more.
std::string Deeper(std::string_view indent);

// The statement around a node: what stands in a block or in the module.
Node StatementOf(const Node& node);
// Whether statements stand on lines of their own, with at most a comment behind the last.
bool IsOnOwnLines(const Syntax& syntax, const Node& first, const Node& last);

// Lines, each without an end, put before or behind the statement, as deep as it is. The statement
// stands on lines of its own.
Edit LinesBefore(const Syntax& syntax, const Node& statement,
                 const std::vector<std::string>& lines);
Edit LinesBehind(const Syntax& syntax, const Node& statement,
                 const std::vector<std::string>& lines);

// Without a statement, whose lines are its own.
Edit WithoutLines(const Syntax& syntax, const Node& statement);

// The statements from `first` to `last` of one block, a level deeper, below the line `header`.
// Empty where that would change what they mean (a string over several lines) or they share lines
// with others.
std::vector<Edit> Below(const Syntax& syntax, std::string_view header, const Node& first,
                        const Node& last);

}  // namespace rankscope::fix
