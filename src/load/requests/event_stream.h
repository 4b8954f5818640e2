// Parses server-sent events from a stream that arrives in pieces of any size.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace rankscope::load {

// Calls `take` with the data of each event (WHATWG, HTML, section 9.2: lines `data:`; several lines
// of an event are joined by a newline; an empty line ends it; comments and other fields are
// ignored).
class EventStream {
 public:
  void Take(std::string_view piece, const std::function<void(std::string_view data)>& take);

 private:
  void TakeLine(std::string_view line, const std::function<void(std::string_view data)>& take);

  std::string line_;  // the incomplete line
  std::string data_;
  bool has_data_ = false;
};

}  // namespace rankscope::load
