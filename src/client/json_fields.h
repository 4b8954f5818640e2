// Members of a JSON object that may be missing or of another type.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::client {

inline std::string TextOf(const simdjson::dom::element& object, std::string_view name) {
  std::string_view text;
  return object[name].get(text) ? std::string() : std::string(text);
}

inline std::int64_t NumberOf(const simdjson::dom::element& object, std::string_view name,
                             std::int64_t without) {
  std::int64_t number = 0;
  return object[name].get(number) ? without : number;
}

// What is no text in it is left out.
inline std::vector<std::string> TextsOf(const simdjson::dom::element& object,
                                        std::string_view name) {
  std::vector<std::string> texts;
  simdjson::dom::array array;
  if (object[name].get(array)) return texts;
  for (const simdjson::dom::element one : array) {
    std::string_view text;
    if (!one.get(text)) texts.emplace_back(text);
  }
  return texts;
}

inline std::size_t CountOf(const simdjson::dom::element& object, std::string_view name) {
  simdjson::dom::array array;
  return object[name].get(array) ? 0 : array.size();
}

}  // namespace rankscope::client
