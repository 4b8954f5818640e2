// The names of the language: functions, types and words that every specification has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::probe {

enum class BuiltInKind : std::uint8_t { kFunction, kType, kDuration, kWord };
// "function", "type", "duration", "word".
std::string_view ToString(BuiltInKind kind);

struct BuiltIn {
  std::string_view name;
  BuiltInKind kind;
  std::string_view form;   // how it is written: "delta(x, wrap=32)"
  std::string_view about;  // half a sentence
};

std::span<const BuiltIn> BuiltIns();
const std::vector<std::string>& BuiltInNames();
bool IsBuiltIn(std::string_view name);

}  // namespace rankscope::probe
