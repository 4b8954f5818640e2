// EventReader: iterates over the events of a chunk, each with its whole text and its fields, so
// that it can be copied or changed without being printed again. One per thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "formats/kineto/edit/event_text.h"
#include "formats/kineto/tokens/raw_event.h"
#include "formats/kineto/tokens/splitter.h"

namespace rankscope::kineto {

class EventReader {
 public:
  EventReader();
  ~EventReader();

  using Visit = std::function<void(const EventText&)>;

  // Calls visit for every event of the chunk in order. Invalid UTF-8, and control characters
  // in strings, are repaired first; elements that are not JSON are left out. Events may be
  // visited twice: `restart` is called before the second time (simdjson refuses a chunk in the
  // middle).
  void Read(Chunk& chunk, const std::function<void()>& restart, const Visit& visit);

  // Reads a single event; false when it is not JSON.
  bool ReadOne(std::string_view text, const Visit& visit);

  // Elements of the last chunk including unusable ones, and the number of unusable ones.
  std::uint64_t count() const { return count_; }
  std::uint64_t bad() const { return bad_; }

 private:
  bool ReadArray(std::string_view array, const Visit& visit);

  struct Parser;  // simdjson's, which is slow to compile
  std::unique_ptr<Parser> parser_;
  std::uint64_t count_ = 0;
  std::uint64_t bad_ = 0;
};

}  // namespace rankscope::kineto
