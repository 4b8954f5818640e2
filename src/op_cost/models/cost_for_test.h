// Computes costs from the texts of a trace, for tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "op_cost/op_cost.h"

namespace rankscope {

// `types`: of the inputs in order, separated by commas: "Half,Half,Scalar" is
// ["c10::Half","c10::Half","Scalar"]; or JSON. `values`: the concrete inputs, separated by
// semicolons, or JSON.
inline std::optional<OpCost> CostForTest(std::string_view op, std::string_view dims,
                                         std::string_view types, std::string_view values = "") {
  const auto list = [](std::string_view text, char separator) {
    if (text.empty() || text.starts_with("[\"")) return std::string(text);
    std::string json = "[\"";
    for (const char c : text) json += c == separator ? std::string("\",\"") : std::string(1, c);
    return json + "\"]";
  };
  std::string type_names = list(types, ',');
  for (const std::string_view name : {"Half", "BFloat16", "Float8_e4m3fn"}) {
    const std::string quoted = "\"" + std::string(name) + "\"";
    for (std::size_t at = type_names.find(quoted); at != std::string::npos;
         at = type_names.find(quoted, at + 1))
      type_names.insert(at + 1, "c10::");
  }
  const std::string concrete = list(values, ';');
  const auto inputs = ParseInputs(dims, type_names, concrete);
  if (!inputs) return std::nullopt;
  auto cost = CostOf(op, *inputs);
  // It may point into the texts of this call, which end with it.
  if (cost) {
    static std::string dtype;
    dtype = cost->dtype;
    cost->dtype = dtype;
  }
  return cost;
}

// "flops bytes", or "none".
inline std::string WorkForTest(std::string_view op, std::string_view dims, std::string_view types,
                               std::string_view values = "") {
  const auto cost = CostForTest(op, dims, types, values);
  if (!cost) return "none";
  const auto number = [](double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  };
  return number(cost->flops) + " " + number(cost->bytes);
}

}  // namespace rankscope
