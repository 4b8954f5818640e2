// EventSplitter: cuts the text of a trace into chunks of whole events, in bounded memory, whatever
// the order of keys.
//
// It finds the events by counting braces outside strings (structure.h); TopLevel reads the text
// around the list. Damaged text (an unescaped quote turns strings inside out; JSON's ban on control
// characters in strings and the size limit reveal it) is measured exactly, event by event
// (validate.h), and either kept for repair or blanked out up to the next event. Not thread-safe:
// threads take turns in Next().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/base/byte_source.h"
#include "formats/kineto/tokens/structure.h"
#include "formats/kineto/tokens/top_level.h"
#include "trace/quality.h"

namespace rankscope::kineto {

struct SplitLimits {
  std::size_t chunk_bytes = std::size_t{1} << 20;
  std::size_t max_event_bytes = std::size_t{16} << 20;
};

// Consecutive elements of the list of events that could not be kept: `count` elements starting at
// `place` in the file.
struct Loss {
  std::int64_t place = 0;
  std::uint64_t count = 0;
};

// A run of whole events separated by commas. One byte before the text and 64 after it are
// writable.
class Chunk {
 public:
  std::string_view text() const { return {storage_.get() + begin_, end_ - begin_}; }
  // The text as a JSON array: adds brackets around it. 64 bytes after it are readable.
  std::string_view AsArray();
  std::int64_t offset() const { return offset_ + static_cast<std::int64_t>(begin_); }
  std::uint64_t sequence() const { return sequence_; }
  // List elements lost between the end of the previous chunk and the end of this one, in order.
  const std::vector<Loss>& losses() const { return losses_; }

 private:
  friend class EventSplitter;
  static constexpr std::size_t kFront = 64;
  static constexpr std::size_t kBack = 128;
  // Makes room for `size` bytes; may lose the content.
  void Reserve(std::size_t size);

  std::unique_ptr<char[]> storage_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t offset_ = 0;  // place in the file of storage_[0]
  std::uint64_t sequence_ = 0;
  std::vector<Loss> losses_;
};

class EventSplitter {
 public:
  explicit EventSplitter(ByteSource& source, const SplitLimits& limits = {});

  // Fills `chunk` with the next events; false when none are left. Chunks are numbered from 0.
  bool Next(Chunk& chunk);

  // Valid after Next returned false.
  const TopLevel& top_level() const { return top_; }
  const QualityLog& problems() const { return problems_; }
  // Elements that could not be kept: the total, and those after the last chunk.
  std::uint64_t lost_events() const { return lost_events_; }
  std::uint64_t losses_at_end() const {
    std::uint64_t count = 0;
    for (const Loss& loss : losses_) count += loss.count;
    return count;
  }
  std::uint64_t text_bytes() const { return read_bytes_; }

 private:
  // Work on the chunk's storage; positions are indexes into it.
  void ReadEvents(Chunk& chunk);
  bool OnBrace(Chunk& chunk, std::size_t at);
  bool ReadGap(Chunk& chunk, std::size_t until);
  // Handles damage in the current event (or gap); false when it needs more text to decide.
  bool Recover(Chunk& chunk, bool at_limit);
  bool IsDamageNearDamage(const Chunk& chunk) const;
  void Resume(std::size_t at);
  void Lose(Chunk& chunk, std::size_t until, QualityCode code, std::string_view what);
  void Finish(Chunk& chunk);
  std::int64_t Place(const Chunk& chunk, std::size_t at) const {
    return chunk.offset_ + static_cast<std::int64_t>(at);
  }

  ByteSource& source_;
  SplitLimits limits_;
  TopLevel top_;
  QualityLog problems_;
  std::string carry_;  // read but not yet handed out: begins at gap_begin_
  std::unique_ptr<std::uint32_t[]> braces_;
  std::size_t brace_room_ = 0;

  StringState strings_;
  int depth_ = 0;
  std::size_t size_ = 0;         // bytes in the storage
  std::size_t scanned_ = 0;      // bytes looked at
  std::size_t gap_begin_ = 0;    // one past the last event, and what was read of the gap after it
  std::size_t event_begin_ = 0;  // valid while depth_ > 0
  std::size_t last_begin_ = 0;   // of the last event of the chunk
  std::size_t window_ = 0;  // bytes to scan at once: few after damage, so that damage costs little
  int gap_brackets_ = 0;    // open brackets of an element that is not an object
  StringState gap_string_;  // and whether one of its strings is open
  bool in_stray_element_ = false;
  bool needs_recovery_ = false;
  bool last_event_is_sound_ = true;
  bool skipping_ = false;  // inside an event that is too large to keep
  bool at_end_ = false;
  bool finished_ = false;
  void CountLoss(std::int64_t place);
  std::uint64_t lost_events_ = 0;
  std::vector<Loss> losses_;         // not yet handed over with a chunk
  std::int64_t last_event_end_ = 0;  // place in the file
  std::uint64_t read_bytes_ = 0;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace rankscope::kineto
