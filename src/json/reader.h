// json::Reader: a fully parsed JSON text, and Values in it.
//
//   RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(text));
//   for (const json::Value& host : reader.root()["hosts"].Items()) {
//     RS_ASSIGN_OR_RETURN(const std::int64_t pid, host["pid"].NeedInteger(1, kMostPid));
//
// Functions that return an optional only show that a value is missing or of another kind. Need...
// returns a Status with the place and the error: "hosts[2].pid: a whole number from 1 to 4194304 is
// needed". The whole text is in memory; traces have separate readers.
//
// This is the only user of simdjson's DOM, and it does not expose simdjson.
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

// A place in a text, valid while its Reader lives. Cheap to copy.
class Value {
 public:
  bool IsAbsent() const;  // no member has this name
  bool IsNull() const;
  // It is present and not null.
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

  // The first member of that name; absent if there is none or this is not an object. O(members).
  // `name` must outlive the value.
  Value operator[](std::string_view name) const;
  Value At(std::size_t index) const;    // of an array; absent beyond its end. O(index)
  std::vector<Value> Items() const;     // {} if not an array
  std::vector<Member> Members() const;  // {} if not an object; in order, with duplicates
  std::string ToString() const;         // the same JSON without spaces; "" if absent

  Result<std::string_view> NeedText() const;
  Result<std::int64_t> NeedInteger(
      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  Result<double> NeedNumber() const;
  Result<bool> NeedFlag() const;
  Result<std::vector<Value>> NeedItems() const;
  Result<std::vector<Member>> NeedMembers() const;

  // "hosts[2].pid", or "" for the root. Searches the whole text: only for errors.
  std::string Path() const;
  // "hosts[2].pid: WHAT"; for the root "the text: WHAT".
  Status Wrong(std::string_view what) const;

 private:
  friend class Reader;
  struct Source;
  using Place = std::array<std::uint64_t, 2>;  // simdjson's element
  Value(const Source* source, Place place) : source_(source), place_(place) {}

  const Source* source_;
  Place place_;              // for an absent member, its parent
  std::string_view absent_;  // its name
  bool is_absent_ = false;
};

struct Member {
  std::string_view name;
  Value value;
};

class Reader {
 public:
  // Errors of the text and of its values have `code`.
  static Result<Reader> Parse(std::string_view text, StatusCode code = StatusCode::kBadData);
  // The same for a large text: it is not copied, but its capacity may grow. It need not outlive the
  // reader. At most 4 GiB; the reader takes about three times the size of the text. Error messages
  // do not quote the text.
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
