// Layout of Python lines: the lines of statements, and text to insert between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fix/python/edits.h"
#include "fix/python/syntax.h"

namespace rankscope::fix {

// The line end of a file: "\r\n" if its first line has it.
std::string_view LineEnd(std::string_view text);
// The indentation of the line that contains this byte.
std::string_view IndentOf(std::string_view text, std::size_t byte);
// One level deeper.
std::string Deeper(std::string_view indent);

// The statement around a node: a direct child of a block or of the module.
Node StatementOf(const Node& node);
// Whether the statements have lines of their own, with at most a comment after the last.
bool IsOnOwnLines(const Syntax& syntax, const Node& first, const Node& last);

// Inserts lines, each without a line end, before or after the statement, with its indentation. The
// statement must have lines of its own.
Edit LinesBefore(const Syntax& syntax, const Node& statement,
                 const std::vector<std::string>& lines);
Edit LinesBehind(const Syntax& syntax, const Node& statement,
                 const std::vector<std::string>& lines);

// Removes a statement that has lines of its own.
Edit WithoutLines(const Syntax& syntax, const Node& statement);

// Moves the statements from `first` to `last` of one block one level deeper, below the line
// `header`. Empty if that would change their meaning (a string over several lines) or if they share
// lines with others.
std::vector<Edit> Below(const Syntax& syntax, std::string_view header, const Node& first,
                        const Node& last);

}  // namespace rankscope::fix
