// Changes of single values inside an event's text, and the text around a list of events.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::kineto {

// Non-overlapping replacements in one text, in any order. Reusable.
class TextEdits {
 public:
  // `part` lies inside the text that Apply gets; an empty part marks a place to insert at.
  void Replace(std::string_view part, std::string with) {
    edits_.push_back({part, std::move(with)});
  }
  bool is_empty() const { return edits_.empty(); }
  // Appends the text with all changes to `out`, and forgets them.
  void Apply(std::string_view text, std::string& out);

 private:
  struct Edit {
    std::string_view part;
    std::string with;
  };
  std::vector<Edit> edits_;
};

// A scalar's token including quotes; `token` is a RawEvent field without them.
std::string_view WithQuotes(std::string_view token, std::string_view text);

// Shifts a decimal number of microseconds by whole nanoseconds, exactly. Digits below a nanosecond
// stay; a shift by whole microseconds keeps the number of decimals. False, with nothing appended,
// if the token is not such a number of at most 30 digits.
bool AppendShiftedMicros(std::string_view token, std::int64_t shift_ns, std::string& out);

// The outer keys of a trace as written, and the text of their values.
using TopValues = std::vector<std::pair<std::string, std::string>>;

// The text before and after the events of a trace with these outer values: of an object, or, when
// `is_array`, of the bare list.
std::string HeadText(const TopValues& values, bool is_array);
std::string_view TailText(bool is_array);

}  // namespace rankscope::kineto
