#include "cli/job/statements.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rankscope::cli {
namespace {

// Behind the next `end`, or the end of the text.
std::size_t After(std::string_view sql, std::string_view end, std::size_t from) {
  const std::size_t at = sql.find(end, from);
  return at == std::string_view::npos ? sql.size() : at + end.size();
}

std::size_t AfterBlockComment(std::string_view sql, std::size_t at) {
  int depth = 0;
  while (at < sql.size()) {
    const std::string_view next = sql.substr(at, 2);
    if (next == "/*") {
      ++depth;
      at += 2;
    } else if (next == "*/") {
      at += 2;
      if (--depth == 0) break;
    } else {
      ++at;
    }
  }
  return at;
}

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Of a dollar quote that begins at `at`: its end; `at` + 1 when none begins there.
std::size_t AfterDollarQuote(std::string_view sql, std::size_t at) {
  std::size_t tag = at + 1;
  while (tag < sql.size() && IsWord(sql[tag])) ++tag;
  if (tag == sql.size() || sql[tag] != '$') return at + 1;
  return After(sql, sql.substr(at, tag + 1 - at), tag + 1);
}

// Behind the quote, comment or single character that begins at `at`.
std::size_t AfterToken(std::string_view sql, std::size_t at) {
  switch (sql[at]) {
    case '\'':
    case '"':
      return After(sql, sql.substr(at, 1), at + 1);
    case '-':
      return sql.substr(at, 2) == "--" ? After(sql, "\n", at) : at + 1;
    case '/':
      return sql.substr(at, 2) == "/*" ? AfterBlockComment(sql, at) : at + 1;
    case '$':
      return at > 0 && IsWord(sql[at - 1]) ? at + 1 : AfterDollarQuote(sql, at);
    default:
      return at + 1;
  }
}

bool IsBlank(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

Statements SplitStatements(std::string_view sql) {
  Statements statements;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < sql.size();) {
    const bool is_end = sql[at] == ';';
    at = AfterToken(sql, at);
    if (!is_end) continue;
    if (!IsBlank(sql.substr(begin, at - 1 - begin)))
      statements.complete.emplace_back(sql.substr(begin, at - begin));
    begin = at;
  }
  statements.rest = sql.substr(begin);
  return statements;
}

}  // namespace rankscope::cli
