// Helpers that generated code (compile/) uses besides the operations of run/arithmetic.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "probe/run/program.h"

namespace rankscope::probe {

template <typename T, std::size_t N>
using List = Maybe<std::array<Maybe<T>, N>>;

template <typename T>
Maybe<T> Known(T value) {
  return Maybe<T>(std::move(value));
}

template <typename T>
Maybe<T> As(const Value& value) {
  const T* const held = value.If<T>();
  return held != nullptr ? Maybe<T>(*held) : std::nullopt;
}

template <typename T, std::size_t N>
List<T, N> ListAs(const Value& value) {
  const auto* const items = value.If<std::vector<Value>>();
  if (items == nullptr || items->size() != N) return std::nullopt;
  std::array<Maybe<T>, N> list;
  for (std::size_t i = 0; i < N; ++i) list[i] = As<T>((*items)[i]);
  return list;
}

inline Value Field(const Value& of, std::size_t number) {
  const auto* const fields = of.If<std::vector<Value>>();
  return fields == nullptr ? Value{} : (*fields)[number];
}

template <typename T>
Value ToValue(const Maybe<T>& value) {
  return value ? Value{*value} : Value{};
}

template <typename T>
Maybe<bool> IsNone(const Maybe<T>& value) {
  return !value.has_value();
}
inline Maybe<bool> IsNone(const Value& value) { return value.is_absent(); }

// The branch not taken is not computed, and counts no fault.
template <typename T, typename First, typename Second>
T Choose(Maybe<bool> condition, First first, Second second) {
  if (!condition) return T();
  return *condition ? first() : second();
}

template <typename T, typename Other>
Maybe<T> KnownOr(Maybe<T> value, Other other) {
  return value ? value : other();
}
template <typename Other>
Value KnownOr(Value value, Other other) {
  return value.is_absent() ? other() : value;
}

template <typename T, std::size_t N>
List<T, N> ListOf(std::array<Maybe<T>, N> items) {
  return items;
}

// Calls `item` with begin, begin + 1, ...
template <typename T, std::size_t N, typename Item>
List<T, N> ListByTurns(std::int64_t begin, Item item) {
  std::array<Maybe<T>, N> list;
  for (std::size_t i = 0; i < N; ++i) list[i] = item(begin + static_cast<std::int64_t>(i));
  return list;
}

template <typename T, std::size_t N, typename Number>
Maybe<T> ElementOf(const List<T, N>& list, Maybe<Number> number, FaultCounts& faults) {
  if (!list || !number) return std::nullopt;
  if (!std::in_range<std::size_t>(*number) || static_cast<std::size_t>(*number) >= N)
    return Faulty<T>(faults, Fault::kElement);
  return (*list)[static_cast<std::size_t>(*number)];
}

template <typename T, typename Items, typename Join>
Maybe<T> Folded(const Items& items, Join join) {
  auto item = items.begin();
  Maybe<T> folded = *item;
  for (++item; item != items.end(); ++item) folded = join(folded, *item);
  return folded;
}

template <typename T>
Maybe<T> LeastAmong(std::initializer_list<Maybe<T>> items) {
  return Folded<T>(items, [](Maybe<T> a, Maybe<T> b) { return Least<T>(a, b); });
}
template <typename T>
Maybe<T> MostAmong(std::initializer_list<Maybe<T>> items) {
  return Folded<T>(items, [](Maybe<T> a, Maybe<T> b) { return Most<T>(a, b); });
}
template <typename T, std::size_t N>
Maybe<T> LeastOf(const List<T, N>& list) {
  if (!list) return std::nullopt;
  return Folded<T>(*list, [](Maybe<T> a, Maybe<T> b) { return Least<T>(a, b); });
}
template <typename T, std::size_t N>
Maybe<T> MostOf(const List<T, N>& list) {
  if (!list) return std::nullopt;
  return Folded<T>(*list, [](Maybe<T> a, Maybe<T> b) { return Most<T>(a, b); });
}
template <typename T, std::size_t N>
Maybe<T> SumOf(const List<T, N>& list, FaultCounts& faults) {
  if (!list) return std::nullopt;
  return Folded<T>(*list, [&](Maybe<T> a, Maybe<T> b) { return Add<T>(a, b, faults); });
}

// Whether one of these sources was read.
inline bool IsRead(const std::vector<char>& is_read, std::initializer_list<std::size_t> sources) {
  for (const std::size_t one : sources)
    if (is_read[one] != 0) return true;
  return false;
}

}  // namespace rankscope::probe
