// Changes of single values inside an event's text, and the text around a list of events.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::kineto {

// Replacements inside one text, in any order, none of which overlap. Made to be used again.
class TextEdits {
 public:
  // `part` lies inside of the text that Apply is given; an empty one is a place to insert at.
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

// A scalar's token with its quotes, where `token` is a field of RawEvent without them.
std::string_view WithQuotes(std::string_view token, std::string_view text);

// Moves a decimal number of microseconds by whole nanoseconds, exactly: digits below stay, and a
// move by whole microseconds keeps the number of decimals. False, and nothing is appended, for what
// is no such number of at most 30 digits.
bool AppendShiftedMicros(std::string_view token, std::int64_t shift_ns, std::string& out);

// The outer keys of a trace, as written, and the text of their values.
using TopValues = std::vector<std::pair<std::string, std::string>>;

// What stands before and behind the events of a trace with these outer values: an object, or, when
// `is_array`, the bare list.
std::string HeadText(const TopValues& values, bool is_array);
std::string_view TailText(bool is_array);

}  // namespace rankscope::kineto
