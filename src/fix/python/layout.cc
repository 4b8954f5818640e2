#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

std::size_t LineBegin(std::string_view text, std::size_t byte) {
  const std::size_t newline = byte == 0 ? std::string_view::npos : text.rfind('\n', byte - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

// Behind the newline of the line; the text's end where it has none.
std::size_t LineBehind(std::string_view text, std::size_t byte) {
  const std::size_t newline = text.find('\n', byte);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f") == std::string_view::npos;
}

// A backslash at the end of a line, too: what is below belongs to it.
bool EndsItsLine(std::string_view rest) {
  const std::size_t first = rest.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || rest[first] == '#';
}

std::string Joined(const std::vector<std::string>& lines, std::string_view indent,
                   std::string_view end) {
  std::string joined;
  for (const std::string& line : lines) {
    joined += indent;
    joined += line;
    joined += end;
  }
  return joined;
}

// Strings over several lines keep their blanks, so they cannot be moved.
bool HasLongString(const Node& statement) {
  for (const Node& string : statement.All("string"))
    if (string.text().find('\n') != std::string_view::npos) return true;
  return false;
}

}  // namespace

std::string_view LineEnd(std::string_view text) {
  const std::size_t newline = text.find('\n');
  const bool has_return =
      newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r';
  return has_return ? "\r\n" : "\n";
}

std::string_view IndentOf(std::string_view text, std::size_t byte) {
  const std::size_t begin = LineBegin(text, byte);
  const std::size_t end = text.find_first_not_of(" \t\f", begin);
  return text.substr(begin, end == std::string_view::npos ? 0 : end - begin);
}

std::string Deeper(std::string_view indent) {
  return std::string(indent) + (indent.ends_with('\t') ? "\t" : "    ");
}

Node StatementOf(const Node& node) {
  Node statement = node;
  while (statement && !statement.parent().Is("block") && !statement.parent().Is("module"))
    statement = statement.parent();
  return statement;
}

bool IsOnOwnLines(const Syntax& syntax, const Node& first, const Node& last) {
  const std::string_view text = syntax.text();
  const std::size_t begin = LineBegin(text, first.begin());
  const std::size_t behind = LineBehind(text, last.end());
  if (last.end() > 0 && text[last.end() - 1] == '\n')
    return IsBlank(text.substr(begin, first.begin() - begin));
  return IsBlank(text.substr(begin, first.begin() - begin)) &&
         EndsItsLine(text.substr(last.end(), behind - last.end()));
}

Edit LinesBefore(const Syntax& syntax, const Node& statement,
                 const std::vector<std::string>& lines) {
  const std::string_view text = syntax.text();
  const std::size_t at = LineBegin(text, statement.begin());
  return {at, at, Joined(lines, IndentOf(text, at), LineEnd(text))};
}

Edit LinesBehind(const Syntax& syntax, const Node& statement,
                 const std::vector<std::string>& lines) {
  const std::string_view text = syntax.text();
  const std::string_view end = LineEnd(text);
  const std::size_t at = LineBehind(text, statement.end() - 1);
  std::string put = Joined(lines, IndentOf(text, statement.begin()), end);
  // A file that ends without a newline.
  if (at == text.size() && !text.ends_with('\n'))
    put = std::string(end) + put.substr(0, put.size() - end.size());
  return {at, at, put};
}

Edit WithoutLines(const Syntax& syntax, const Node& statement) {
  const std::string_view text = syntax.text();
  return {LineBegin(text, statement.begin()), LineBehind(text, statement.end() - 1), ""};
}

std::vector<Edit> Below(const Syntax& syntax, std::string_view header, const Node& first,
                        const Node& last) {
  const std::string_view text = syntax.text();
  if (!IsOnOwnLines(syntax, first, last)) return {};
  for (Node each = first; each.begin() <= last.begin();) {
    if (HasLongString(each)) return {};
    Node next;
    for (const Node& sibling : each.parent().children())
      if (sibling.begin() > each.begin()) {
        next = sibling;
        break;
      }
    if (!next) break;
    each = next;
  }
  const std::string_view indent = IndentOf(text, first.begin());
  const std::string more = Deeper(indent).substr(indent.size());
  std::vector<Edit> edits = {LinesBefore(syntax, first, {std::string(header)})};
  for (std::size_t at = LineBegin(text, first.begin()); at < last.end();
       at = LineBehind(text, at)) {
    if (!IsBlank(text.substr(at, LineBehind(text, at) - at))) edits.push_back({at, at, more});
  }
  return edits;
}

}  // namespace rankscope::fix
