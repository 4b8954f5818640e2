// EventText: an event of a trace with its whole text and its fields, as event_reader.h gives it.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::kineto {

struct RawEvent;  // tokens/raw_event.h

// A valid event. The tokens of `fields` lie inside `text`; both live until the next event.
struct EventText {
  std::string_view text;
  const RawEvent* fields = nullptr;
  std::uint64_t index = 0;  // among the chunk's elements, including unusable ones
};

}  // namespace rankscope::kineto
