// json::Type: how values of one C++ type map to JSON, so that code compiled once can read, write
// and describe them (json/fields.h).
//
// Supported are texts, integers, doubles, bools, maps of texts, RawJson, RawOf<T>, enums with
// words, and structs with Fields; also optionals (null) and vectors (lists) of these.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::json {

class FieldList;
template <typename T>
class Fields;

// The declaration of T, specialised beside T.
template <typename T>
const Fields<T>& FieldsOf();

// A value passed through unchanged. Empty: null.
struct RawJson {
  std::string text;
  friend bool operator==(const RawJson&, const RawJson&) = default;
};

// A T as JSON, passed through unchanged: only its documents and types are those of T. FromJson
// reads it. Empty: null.
template <typename T>
struct RawOf : RawJson {};

struct Type {
  enum class Kind : std::uint8_t {
    kText,
    kInteger,
    kNumber,
    kFlag,
    kTexts,  // an object of texts
    kRaw,
    kWord,    // one of `words`
    kMaybe,   // null, or `inner`
    kList,    // of `inner`
    kObject,  // with `fields`
  };
  Kind kind = Kind::kText;
  const Type* inner = nullptr;
  const FieldList& (*fields)() = nullptr;  // of objects, and of raw values of a known type
  std::span<const std::string_view> words;

  void (*assign)(void* to, const void* from) = nullptr;
  // For texts, numbers, flags and raw values. `read` returns false for another kind of JSON.
  void (*write)(const void* value, Writer& writer) = nullptr;
  bool (*read)(const Value& json, void* value) = nullptr;
  // For words: the index.
  std::size_t (*word)(const void* value) = nullptr;
  void (*set_word)(void* value, std::size_t word) = nullptr;
  // For lists; an optional is treated as a list of at most one.
  std::size_t (*size)(const void* list) = nullptr;
  const void* (*item)(const void* list, std::size_t index) = nullptr;
  void* (*add)(void* list) = nullptr;
  void (*drop)(void* list) = nullptr;  // the last
  void (*clear)(void* list) = nullptr;
};

template <typename T>
void AssignAs(void* to, const void* from) {
  *static_cast<T*>(to) = *static_cast<const T*>(from);
}

extern const Type kTextType, kIntegerType, kUnsignedType, kNumberType, kFlagType, kTextsType,
    kRawType;

template <typename T>
struct TypeOf;

template <>
struct TypeOf<std::string> {
  static const Type& Get() { return kTextType; }
};
template <>
struct TypeOf<std::int64_t> {
  static const Type& Get() { return kIntegerType; }
};
template <>
struct TypeOf<std::uint64_t> {
  static const Type& Get() { return kUnsignedType; }
};
template <>
struct TypeOf<double> {
  static const Type& Get() { return kNumberType; }
};
template <>
struct TypeOf<bool> {
  static const Type& Get() { return kFlagType; }
};
template <>
struct TypeOf<std::map<std::string, std::string>> {
  static const Type& Get() { return kTextsType; }
};
template <>
struct TypeOf<RawJson> {
  static const Type& Get() { return kRawType; }
};

template <typename T>
struct TypeOf<RawOf<T>> {
  static const Type& Get() {
    static const Type type{.kind = Type::Kind::kRaw,
                           .fields = []() -> const FieldList& { return FieldsOf<T>(); },
                           .assign = AssignAs<RawOf<T>>,
                           .write = kRawType.write,
                           .read = kRawType.read};
    return type;
  }
};

// An enum that starts at 0 has `std::span<const std::string_view> WordsOf(TheEnum)` beside it.
template <typename T>
requires std::is_enum_v<T>
struct TypeOf<T> {
  static const Type& Get() {
    static const Type type{
        .kind = Type::Kind::kWord,
        .words = WordsOf(T()),
        .assign = AssignAs<T>,
        .word =
            [](const void* value) {
              return static_cast<std::size_t>(*static_cast<const T*>(value));
            },
        .set_word = [](void* value,
                       std::size_t word) { *static_cast<T*>(value) = static_cast<T>(word); }};
    return type;
  }
};

template <typename T>
struct TypeOf<std::optional<T>> {
  static const Type& Get() {
    using Maybe = std::optional<T>;
    static const Type type{
        .kind = Type::Kind::kMaybe,
        .inner = &TypeOf<T>::Get(),
        .assign = AssignAs<Maybe>,
        .size =
            [](const void* value) {
              return std::size_t{static_cast<const Maybe*>(value)->has_value()};
            },
        .item = [](const void* value, std::size_t) -> const void* {
          return &**static_cast<const Maybe*>(value);
        },
        .add = [](void* value) -> void* { return &static_cast<Maybe*>(value)->emplace(); },
        .drop = [](void* value) { static_cast<Maybe*>(value)->reset(); },
        .clear = [](void* value) { static_cast<Maybe*>(value)->reset(); }};
    return type;
  }
};

template <typename T>
struct TypeOf<std::vector<T>> {
  static const Type& Get() {
    using List = std::vector<T>;
    static const Type type{
        .kind = Type::Kind::kList,
        .inner = &TypeOf<T>::Get(),
        .assign = AssignAs<List>,
        .size = [](const void* value) { return static_cast<const List*>(value)->size(); },
        .item = [](const void* value, std::size_t index) -> const void* {
          return &(*static_cast<const List*>(value))[index];
        },
        .add = [](void* value) -> void* { return &static_cast<List*>(value)->emplace_back(); },
        .drop = [](void* value) { static_cast<List*>(value)->pop_back(); },
        .clear = [](void* value) { static_cast<List*>(value)->clear(); }};
    return type;
  }
};

template <typename T>
requires std::is_class_v<T>
struct TypeOf<T> {
  static const Type& Get() {
    static const Type type{.kind = Type::Kind::kObject,
                           .fields = []() -> const FieldList& { return FieldsOf<T>(); },
                           .assign = AssignAs<T>};
    return type;
  }
};

}  // namespace rankscope::json
