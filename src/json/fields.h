// Fields<T>: a type that is exchanged between processes or languages is declared once. Reading,
// writing, the OpenAPI document (json/schema.h), command line options (contract/field_options.h)
// and TypeScript types (json/typescript.h) are generated from it.
//
//   struct Greeting {
//     std::string name;
//     std::int64_t times = 1;
//   };
//   namespace rankscope::json {
//   template <>
//   const Fields<Greeting>& FieldsOf();      // in the header; in the .cc:
//
//   template <>
//   const Fields<Greeting>& FieldsOf() {
//     static const Fields<Greeting> fields =
//         Fields<Greeting>("Greeting", "who is greeted", Use::kRequest)
//             .Add<&Greeting::name>({.name = "name", .doc = "whom", .is_required = true})
//             .Add<&Greeting::times>({.name = "times", .doc = "how often", .least = 1, .most = 9});
//     return fields;
//   }
//   }
//
// Defaults are those of a plain T(). docs/add-a-field.md is a guide. The templates hold only
// addresses; the code that uses them is compiled once, in fields.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/type.h"

namespace rankscope::json {

// The author of a document determines how it is read.
enum class Use : std::uint8_t {
  // By users: unknown or duplicate fields and values out of bounds are refused; missing or null
  // fields get their default. Errors are kInvalidArgument.
  kRequest,
  // By other programs, of any version: unknown fields are ignored; otherwise as a request.
  kCall,
  // By this program, for storage: exactly the declared fields must be present, except those that
  // are left out if unknown.
  kRecord,
  // By this program or another version of it: unknown fields are ignored, invalid values get their
  // default, and texts are cut.
  kReport,
};

struct Field {
  std::string_view name;
  std::string_view doc = "";  // "steps to record"
  std::string_view unit = "";
  // Bounds of numbers, also in a list.
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::size_t most_bytes = 1000;                 // of a text, and of each in a list; not of records
  std::size_t most_items = 100;                  // of a list; not of records
  std::span<const std::string_view> words = {};  // allowed texts
  bool is_required = false;                      // of a request
  bool is_null_when_empty = false;               // an empty text is unknown
  // Instead of null, if it is unknown; and if it has its default, where null is no value of it.
  bool is_left_out = false;
  int since = 1;  // the first record format that has it

  // Made by Fields<T>::Add.
  const Type* type = nullptr;
  void* (*at)(void* object) = nullptr;

  bool has_least() const { return least != std::numeric_limits<std::int64_t>::min(); }
  bool has_most() const { return most != std::numeric_limits<std::int64_t>::max(); }
};

// Whether missing fields get their default, and wrong ones are refused.
constexpr bool IsAsked(Use use) { return use == Use::kRequest || use == Use::kCall; }

class FieldList {
 public:
  std::string_view name() const { return name_; }
  std::string_view doc() const { return doc_; }
  Use use() const { return use_; }
  std::span<const Field> fields() const { return fields_; }
  const FieldList* base() const { return base_; }  // its fields come first; may be null
  // nullptr if there is none.
  const Field* Find(std::string_view name) const;
  // As JSON; "null" if unknown.
  std::string DefaultOf(const Field& field) const;
  std::string Defaults() const;  // of all

  // `object` has the type of the list.
  void WriteObject(const void* object, Writer& writer) const;
  // Without braces, among other members of an object.
  void WriteMembers(const void* object, Writer& writer) const;
  // `format`: of records (Field::since).
  Status ReadObject(const Value& json, void* object, int format) const;
  // kInvalidArgument, naming the field, if a value is out of bounds.
  Status CheckObject(const void* object) const;

 protected:
  FieldList(std::string_view name, std::string_view doc, Use use, const void* defaults)
      : name_(name), doc_(doc), use_(use), defaults_(defaults) {}
  void AddField(const Field& field) { fields_.push_back(field); }
  void Inherit(const FieldList& base);

 private:
  bool IsLeftOut(const Field& field, const void* value) const;

  std::string_view name_;
  std::string_view doc_;
  Use use_;
  const void* defaults_;
  const FieldList* base_ = nullptr;
  std::vector<Field> fields_;
};

template <typename T>
class Fields : public FieldList {
 public:
  Fields(std::string_view name, std::string_view doc, Use use)
      : FieldList(name, doc, use, Defaults()) {}

  template <auto kMember>
  Fields& Add(Field field) {
    using Held = std::remove_cvref_t<decltype(std::declval<T&>().*kMember)>;
    field.type = &TypeOf<Held>::Get();
    field.at = [](void* object) -> void* { return &(static_cast<T*>(object)->*kMember); };
    AddField(field);
    return *this;
  }
  // The fields of the first base come first.
  template <typename Base>
  Fields& Extends() {
    static_assert(std::is_base_of_v<Base, T>);
    Inherit(FieldsOf<Base>());
    return *this;
  }

  void Write(const T& object, Writer& writer) const { WriteObject(&object, writer); }
  void WriteInto(const T& object, Writer& writer) const { WriteMembers(&object, writer); }
  Status Read(const Value& json, T& object, int format = std::numeric_limits<int>::max()) const {
    return ReadObject(json, &object, format);
  }
  Status Check(const T& object) const { return CheckObject(&object); }

 private:
  static const T* Defaults() {
    static const T defaults{};
    return &defaults;
  }
};

// {"name":...}
template <typename T>
std::string ToJson(const T& object) {
  std::string json;
  Writer writer(json);
  FieldsOf<T>().Write(object, writer);
  return json;
}

// Errors are kInvalidArgument for requests and calls, kBadData for others.
Result<Reader> ParseFor(const FieldList& fields, std::string_view text);
template <typename T>
Result<T> FromJson(std::string_view text) {
  RS_ASSIGN_OR_RETURN(const Reader reader, ParseFor(FieldsOf<T>(), text));
  T object;
  RS_RETURN_IF_ERROR(FieldsOf<T>().Read(reader.root(), object));
  return object;
}

}  // namespace rankscope::json
