// A value of the language. Absent is a value too; it stands for anything unknown.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace rankscope::probe {

// Enum items are int64, pointers uint64, structs a list of their fields.
struct Value {
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
               std::vector<Value>>
      data;

  bool is_absent() const { return data.index() == 0; }
  template <typename T>
  const T* If() const {
    return std::get_if<T>(&data);
  }
  bool operator==(const Value&) const = default;
};

// "42", "0.5", "True", "'text'", "absent", "[1, 2]".
std::string ValueText(const Value& value);

}  // namespace rankscope::probe
