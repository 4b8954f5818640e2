#include "fix/python/calls.h"

#include <fmt/core.h>

#include <charconv>

namespace rankscope::fix {
namespace {

Node KeywordArgument(const Node& call, std::string_view name) {
  for (const Node& argument : ArgumentsOf(call).children())
    if (argument.Is("keyword_argument") && argument.Field("name").text() == name) return argument;
  return {};
}

// What lies between an argument and the one behind it: a new line where `last` begins one.
std::string BlanksBefore(const Node& last) {
  const std::string_view before = last.file_text().substr(0, last.begin());
  const std::size_t blanks = before.find_last_not_of(" \t") + 1;
  if (blanks == 0 || before[blanks - 1] != '\n') return " ";
  const bool has_return = blanks > 1 && before[blanks - 2] == '\r';
  return (has_return ? "\r\n" : "\n") + std::string(before.substr(blanks));
}

}  // namespace

Node ArgumentsOf(const Node& call) {
  const Node arguments = call.Field("arguments");
  return arguments.Is("argument_list") ? arguments : Node();
}

std::vector<Node> PlainArguments(const Node& call) {
  std::vector<Node> plain;
  for (const Node& argument : ArgumentsOf(call).children())
    if (!argument.Is("keyword_argument")) plain.push_back(argument);
  return plain;
}

Node Keyword(const Node& call, std::string_view name) {
  return KeywordArgument(call, name).Field("value");
}

bool HasOwnArguments(const Node& call) {
  if (!ArgumentsOf(call)) return false;
  for (const Node& argument : ArgumentsOf(call).children())
    if (argument.Is("list_splat") || argument.Is("dictionary_splat")) return false;
  return true;
}

Edit AddKeywords(const Node& call, const std::vector<NewKeyword>& keywords) {
  std::string joined;
  for (const NewKeyword& keyword : keywords)
    joined += fmt::format("{}{}={}", joined.empty() ? "" : ", ", keyword.name, keyword.value);
  const Node arguments = ArgumentsOf(call);
  const std::vector<Node> given = arguments.children();
  if (given.empty()) return {arguments.begin() + 1, arguments.begin() + 1, joined};
  const std::size_t at = given.back().end();
  return {at, at, "," + BlanksBefore(given.back()) + joined};
}

Edit RemoveKeyword(const Node& call, std::string_view name) {
  const std::vector<Node> given = ArgumentsOf(call).children();
  const Node argument = KeywordArgument(call, name);
  for (std::size_t at = 0; at < given.size(); ++at) {
    if (given[at] != argument) continue;
    if (at > 0) return {given[at - 1].end(), argument.end(), ""};
    if (given.size() > 1) return {argument.begin(), given[1].begin(), ""};
  }
  const Node arguments = ArgumentsOf(call);
  return {arguments.begin() + 1, arguments.end() - 1, ""};
}

Edit ChangeKeyword(const Node& call, std::string_view name, std::string_view value) {
  const Node old = Keyword(call, name);
  return {old.begin(), old.end(), std::string(value)};
}

Node ObjectOf(const Node& call, std::string_view method) {
  const Node function = call.Field("function");
  if (!call.Is("call") || !function.Is("attribute")) return {};
  return function.Field("attribute").text() == method ? function.Field("object") : Node();
}

std::vector<Node> MethodCalls(const Node& inside, std::string_view method) {
  std::vector<Node> calls;
  for (const Node& call : inside.All("call"))
    if (ObjectOf(call, method)) calls.push_back(call);
  return calls;
}

std::optional<std::int64_t> IntegerOf(const Node& literal) {
  if (!literal.Is("integer")) return std::nullopt;
  const std::string_view text = literal.text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> NumberOf(const Node& literal) {
  if (!literal.Is("integer") && !literal.Is("float")) return std::nullopt;
  const std::string_view text = literal.text();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> StringOf(const Node& literal) {
  if (!literal.Is("string")) return std::nullopt;
  std::string text;
  for (const Node& part : literal.children()) {
    if (part.Is("interpolation")) return std::nullopt;
    if (part.Is("string_content")) text += part.text();
  }
  return text;
}

}  // namespace rankscope::fix
