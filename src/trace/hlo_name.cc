#include "trace/hlo_name.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace rankscope {
namespace {

using namespace std::string_view_literals;

// "fusion.12.remat3" -> "fusion": numbers, and what copies of an instruction are called.
std::string_view WithoutNumbers(std::string_view name) {
  constexpr std::array kCopies = {"clone"sv, "remat"sv};
  while (true) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return name;
    std::string_view end = name.substr(dot + 1);
    while (!end.empty() && IsDigit(end.back())) end.remove_suffix(1);
    const bool is_copy = std::find(kCopies.begin(), kCopies.end(), end) != kCopies.end();
    if (!end.empty() && !is_copy) return name;
    name = name.substr(0, dot);
  }
}

// Cuts a type off the front: "bf16[8]{0:T(8,128)} " or a tuple "(f32[2] /*index=1*/, f32[]) ".
std::string_view WithoutType(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ' ' && depth <= 0) return text.substr(i + 1);
  }
  return {};
}

// Of attributes "..., kind=kLoop, calls=%c" the value of `key` (", kind="), without quotes.
std::string_view Attribute(std::string_view text, std::string_view key) {
  const std::size_t at = text.rfind(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  if (text.starts_with('"')) return text.substr(1, text.find('"', 1) - 1);
  return text.substr(0, text.find_first_of(", \n"));
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool NamesCollective(std::string_view text) {
  constexpr std::array kWords = {"all-reduce"sv, "all-gather"sv,         "reduce-scatter"sv,
                                 "all-to-all"sv, "collective-permute"sv, "collective-broadcast"sv};
  return std::any_of(kWords.begin(), kWords.end(), [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool IsCollective(const HloName& name) {
  if (NamesCollective(name.opcode)) return true;
  if (IsOneOf(name.opcode, {"send", "send-done", "recv", "recv-done"})) return true;
  // What these do, only their name says.
  return IsOneOf(name.opcode,
                 {"fusion", "custom-call", "async-start", "async-update", "async-done"}) &&
         NamesCollective(name.stem);
}

bool IsCopy(std::string_view word) {
  return IsOneOf(word,
                 {"copy-start", "copy-done", "async-copy-start", "async-copy-done", "slice-start",
                  "slice-done", "infeed", "outfeed", "infeed-done", "outfeed-done"});
}

}  // namespace

HloName ParseHloName(std::string_view name) {
  HloName parsed;
  const std::size_t equals = name.starts_with('%') ? name.find(" = ") : std::string_view::npos;
  std::string_view instruction = name.substr(0, equals);
  if (instruction.starts_with('%')) instruction.remove_prefix(1);
  parsed.stem = WithoutNumbers(instruction);
  parsed.opcode = parsed.stem;
  if (equals == std::string_view::npos) return parsed;
  const std::string_view call = WithoutType(name.substr(equals + 3));
  const std::string_view opcode = call.substr(0, call.find('('));
  if (opcode.empty()) return parsed;
  parsed.is_text = true;
  parsed.opcode = opcode;
  if (opcode == "fusion") parsed.kind = Attribute(call, ", kind=");
  if (opcode == "custom-call") parsed.target = Attribute(call, ", custom_call_target=");
  return parsed;
}

HloRole RoleOf(const HloName& name, std::string_view category) {
  if (IsCollective(name) || NamesCollective(category)) return HloRole::kCollective;
  if (IsCopy(name.opcode) || IsCopy(category)) return HloRole::kCopy;
  // Of an asynchronous operation the opcode is general, and its name says what it does.
  if (name.opcode.starts_with("async-") && IsCopy(name.stem)) return HloRole::kCopy;
  const auto is_control_flow = [](std::string_view word) {
    return IsOneOf(word, {"while", "conditional", "call"});
  };
  if (is_control_flow(name.opcode) || is_control_flow(category)) return HloRole::kControlFlow;
  return HloRole::kCompute;
}

}  // namespace rankscope
