// TopLevel: reads the text around the list of events, one byte at a time: keys and values of the
// outer object, and where the list of events begins. Only keys of the outer object count; a nested
// "traceEvents" has no special meaning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/quality.h"

namespace rankscope::kineto {

class TopLevel {
 public:
  enum class State : std::uint8_t {
    kBegin,    // nothing but white space so far
    kBetween,  // before a key, or the end of the object
    kKey,
    kAfterKey,
    kBeforeValue,
    kValue,
    kEvents,  // inside the list of events: the caller continues
    kEnd,     // after the outer value
    kNotATrace,
  };

  // Reads until the end of the text or the begin of the list of events (state() == kEvents).
  // Returns the number of bytes read. `offset` is the file position of text[0].
  std::size_t Read(std::string_view text, std::int64_t offset, QualityLog& problems);
  // The list of events was closed.
  void LeaveEvents() { state_ = is_array_ ? State::kEnd : State::kBetween; }

  State state() const { return state_; }
  bool is_array() const { return is_array_; }
  bool saw_events() const { return saw_events_; }
  // Keys and the text of their values in file order, without the list of events.
  const std::vector<std::pair<std::string, std::string>>& values() const { return values_; }

 private:
  void BeginValue(char c);
  // True when `c` belongs to the value; false when the value ended before it.
  bool ContinueValue(char c);
  void EndValue(std::int64_t offset, QualityLog& problems);

  State state_ = State::kBegin;
  bool is_array_ = false;
  bool saw_events_ = false;
  bool reported_garbage_ = false;
  int bom_bytes_ = 0;
  std::string key_;
  std::string value_;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool value_done_ = false;
  bool too_large_ = false;
  std::size_t kept_bytes_ = 0;
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace rankscope::kineto
