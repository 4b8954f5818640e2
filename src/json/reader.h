// json::Reader: a JSON text that was parsed whole, and Values in it.
//
//   RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(text));
//   for (const json::Value& host : reader.root()["hosts"].Items()) {
//     RS_ASSIGN_OR_RETURN(const std::int64_t pid, host["pid"].NeedInteger(1, kMostPid));
//
// An optional tells nothing more than that something is missing or of another kind. Need... says in
// a Status where in the text what is wrong: "hosts[2].pid: a whole number from 1 to 4194304 is
// needed". All of the text is in memory; traces have readers of their own.
//
// This is the only user of simdjson's DOM. Other code does not see simdjson by it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::json {

struct Member;

// A place in a text, as long as its Reader lives. Copying costs nothing.
class Value {
 public:
  bool IsAbsent() const;  // no member is called so
  bool IsNull() const;
  // It stands there, and is not null.
  bool IsKnown() const { return !IsAbsent() && !IsNull(); }
  bool IsObject() const;
  bool IsArray() const;

  std::optional<std::string_view> Text() const;
  std::optional<std::int64_t> Integer() const;  // without a fraction, within int64
  std::optional<std::uint64_t> Unsigned() const;
  std::optional<double> Number() const;  // whole numbers, too
  std::optional<bool> Flag() const;
  std::string TextOr(std::string_view without) const;
  std::int64_t IntegerOr(std::int64_t without) const { return Integer().value_or(without); }

  // The first member of that name; an absent one where there is none, and of what is no object.
  // O(members). `name` outlives the value.
  Value operator[](std::string_view name) const;
  Value At(std::size_t index) const;    // of an array; absent beyond its end. O(index)
  std::vector<Value> Items() const;     // {} of what is no array
  std::vector<Member> Members() const;  // {} of what is no object; as they stand, with repetitions
  std::string ToString() const;         // the same JSON without spaces; "" of what is absent

  Result<std::string_view> NeedText() const;
  Result<std::int64_t> NeedInteger(
      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  Result<double> NeedNumber() const;
  Result<bool> NeedFlag() const;
  Result<std::vector<Value>> NeedItems() const;
  Result<std::vector<Member>> NeedMembers() const;

  // "hosts[2].pid", "" of the root. Goes through the text to find itself: for errors.
  std::string Path() const;
  // "hosts[2].pid: WHAT". Of the root "the text: WHAT".
  Status Wrong(std::string_view what) const;

 private:
  friend class Reader;
  struct Source;
  using Place = std::array<std::uint64_t, 2>;  // simdjson's element
  Value(const Source* source, Place place) : source_(source), place_(place) {}

  const Source* source_;
  Place place_;              // of an absent member, of where it would be
  std::string_view absent_;  // its name
  bool is_absent_ = false;
};

struct Member {
  std::string_view name;
  Value value;
};

class Reader {
 public:
  // Errors of the text and of its values are of `code`.
  static Result<Reader> Parse(std::string_view text, StatusCode code = StatusCode::kBadData);
  // The same of a text that may be large: it is not copied, only its capacity may grow. It need not
  // outlive the reader. At most 4 GiB; the reader takes about three times the text. The message of
  // an error says what is wrong and names no text.
  static Result<Reader> ParseLarge(std::string& text);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  Value root() const;

 private:
  explicit Reader(std::unique_ptr<Value::Source> source);
  std::unique_ptr<Value::Source> source_;
};

}  // namespace rankscope::json
