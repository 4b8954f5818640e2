#include "formats/kineto/tokens/splitter.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "formats/kineto/tokens/validate.h"

namespace rankscope::kineto {
namespace {

constexpr std::size_t kSmallWindow = 4096;

}  // namespace

void Chunk::Reserve(std::size_t size) {
  if (size + kBack <= capacity_) return;
  capacity_ = std::max(size + kBack, capacity_ * 2);
  storage_.reset();
  storage_ = std::make_unique_for_overwrite<char[]>(capacity_);
}

std::string_view Chunk::AsArray() {
  storage_[begin_ - 1] = '[';
  storage_[end_] = ']';
  return {storage_.get() + begin_ - 1, end_ - begin_ + 2};
}

EventSplitter::EventSplitter(ByteSource& source, const SplitLimits& limits)
    : source_(source), limits_(limits), window_(limits.chunk_bytes) {}

bool EventSplitter::Next(Chunk& chunk) {
  while (!finished_) {
    // What the last chunk left over comes first; positions move with it.
    // Of all chunks but the first: room for the begin of an event is there at once.
    chunk.Reserve(Chunk::kFront + std::max(carry_.size(), limits_.chunk_bytes / 16) +
                  limits_.chunk_bytes);
    if (!carry_.empty())
      std::memcpy(chunk.storage_.get() + Chunk::kFront, carry_.data(), carry_.size());
    size_ = Chunk::kFront + carry_.size();
    chunk.offset_ = static_cast<std::int64_t>(read_bytes_) - static_cast<std::int64_t>(size_);
    event_begin_ = event_begin_ - gap_begin_ + Chunk::kFront;
    scanned_ = scanned_ - gap_begin_ + Chunk::kFront;
    gap_begin_ = Chunk::kFront;
    chunk.begin_ = chunk.end_ = 0;
    carry_.clear();

    const std::size_t got = source_.Read(chunk.storage_.get() + size_, limits_.chunk_bytes);
    size_ += got;
    read_bytes_ += got;
    at_end_ = got == 0;
    ReadEvents(chunk);
    if (at_end_ || top_.state() == TopLevel::State::kNotATrace) Finish(chunk);

    if (skipping_) {
      gap_begin_ = event_begin_ = scanned_ = size_;
    }
    carry_.assign(chunk.storage_.get() + gap_begin_, size_ - gap_begin_);
    if (chunk.end_ > chunk.begin_) {
      const std::string_view last(chunk.storage_.get() + last_begin_, chunk.end_ - last_begin_);
      last_event_is_sound_ = MeasureObject(last).kind == ObjectExtent::Kind::kComplete;
      const std::int64_t chunk_end = Place(chunk, chunk.end_);
      const auto behind = std::find_if(losses_.begin(), losses_.end(),
                                       [&](const Loss& loss) { return loss.place >= chunk_end; });
      chunk.losses_.assign(losses_.begin(), behind);
      losses_.erase(losses_.begin(), behind);
      chunk.sequence_ = next_sequence_++;
      return true;
    }
  }
  return false;
}

void EventSplitter::ReadEvents(Chunk& chunk) {
  if (needs_recovery_ && !Recover(chunk, false)) return;
  while (scanned_ < size_) {
    if (top_.state() != TopLevel::State::kEvents) {
      scanned_ += top_.Read({chunk.storage_.get() + scanned_, size_ - scanned_},
                            Place(chunk, scanned_), problems_);
      gap_begin_ = scanned_;
      strings_ = {};
      depth_ = 0;
      if (top_.state() == TopLevel::State::kEvents && chunk.end_ != 0) {
        // A second list: what stands between the two is no event.
        std::memset(chunk.storage_.get() + chunk.end_, ' ', scanned_ - chunk.end_);
        chunk.storage_[chunk.end_] = ',';
      }
      continue;
    }
    const std::size_t count = std::min(window_, size_ - scanned_);
    if (brace_room_ < count) {
      brace_room_ = std::max(count, limits_.chunk_bytes);
      braces_ = std::make_unique_for_overwrite<std::uint32_t[]>(brace_room_);
    }
    BraceList found{braces_.get()};
    FindBraces(chunk.storage_.get() + scanned_, count, static_cast<std::uint32_t>(scanned_),
               strings_, found);
    const bool damaged = found.first_control != kNone && !skipping_;
    const std::size_t limit = damaged ? scanned_ + found.first_control : size_;
    bool left_events = false;
    for (std::size_t i = 0; i < found.count && found.offsets[i] < limit && !left_events; ++i) {
      left_events = !OnBrace(chunk, found.offsets[i]);
    }
    if (left_events) continue;
    if (damaged) {
      if (!Recover(chunk, false)) return;
      continue;
    }
    scanned_ += count;
    window_ = std::min(window_ * 2, limits_.chunk_bytes);
    if (depth_ == 0 && !ReadGap(chunk, scanned_)) continue;
    if (depth_ == 0 || skipping_) continue;
    const bool at_limit = size_ - event_begin_ > limits_.max_event_bytes;
    if ((at_limit || IsDamageNearDamage(chunk)) && !Recover(chunk, at_limit)) return;
  }
}

// Follows one brace; false when the list of events ended before it.
bool EventSplitter::OnBrace(Chunk& chunk, std::size_t at) {
  const bool opens = chunk.storage_[at] == '{';
  if (depth_ == 0) {
    if (!ReadGap(chunk, at)) return false;
    if (gap_brackets_ > 0) return true;  // inside an element that is a list: not an event
    if (!opens) {
      problems_.Add(QualityCode::kInvalidJson, Place(chunk, at),
                    "a closing brace without an opening one was skipped");
      chunk.storage_[at] = ' ';
      return true;
    }
    event_begin_ = at;
    depth_ = 1;
    in_stray_element_ = false;
    gap_string_ = {};
    return true;
  }
  depth_ += opens ? 1 : -1;
  if (depth_ != 0) return true;
  gap_begin_ = at + 1;
  if (skipping_) {
    skipping_ = false;
    return true;
  }
  if (chunk.end_ == 0) chunk.begin_ = event_begin_;
  chunk.end_ = at + 1;
  last_event_end_ = Place(chunk, chunk.end_);
  last_begin_ = event_begin_;
  return true;
}

// Reads what stands between two events, from gap_begin_ on: white space and commas. False when the
// list ends there.
bool EventSplitter::ReadGap(Chunk& chunk, std::size_t until) {
  char* text = chunk.storage_.get();
  for (std::size_t at = gap_begin_; at < until; ++at) {
    const char c = text[at];
    if (!gap_string_.in_string) {
      if (IsJsonSpace(c)) continue;
      if (c == ']' && gap_brackets_ == 0) {
        top_.LeaveEvents();
        scanned_ = at + 1;
        return false;
      }
      if (c == ',' && gap_brackets_ == 0) {
        in_stray_element_ = false;
        continue;
      }
      if (c == '[') ++gap_brackets_;
      if (c == ']') --gap_brackets_;
    }
    if (gap_string_.escaped) {
      gap_string_.escaped = false;
    } else if (c == '\\') {
      gap_string_.escaped = true;
    } else if (c == '"') {
      gap_string_.in_string = !gap_string_.in_string;
    }
    // Part of an element that is no object: blank it, so that the chunk stays a list of objects.
    if (!in_stray_element_) {
      in_stray_element_ = true;
      problems_.Add(QualityCode::kBadEvent, Place(chunk, at),
                    "an element of traceEvents that is not an object was skipped");
      CountLoss(Place(chunk, at));
    }
    text[at] = ' ';
  }
  gap_begin_ = until;
  return true;
}

// Where damage was just met there may be more, and to find it only at the end of the text would
// mean to read all of it again for each damaged event: so, while windows are small, the event at
// hand is looked at behind each of them.
bool EventSplitter::IsDamageNearDamage(const Chunk& chunk) const {
  if (window_ >= limits_.chunk_bytes) return false;
  const std::string_view event(chunk.storage_.get() + event_begin_, scanned_ - event_begin_);
  const ObjectExtent::Kind kind = MeasureObject(event).kind;
  return kind == ObjectExtent::Kind::kError || kind == ObjectExtent::Kind::kTooDeep;
}

// Goes on at `at`, outside of any event, with small steps for a while.
void EventSplitter::Resume(std::size_t at) {
  strings_ = {};
  depth_ = 0;
  gap_begin_ = scanned_ = at;
  window_ = kSmallWindow;
  needs_recovery_ = false;
  in_stray_element_ = false;
  gap_brackets_ = 0;
  gap_string_ = {};
}

// Losses without an event between them are one entry, so that the list is never longer than that of
// events.
void EventSplitter::CountLoss(std::int64_t place) {
  ++lost_events_;
  if (losses_.empty() || losses_.back().place < last_event_end_) {
    losses_.push_back({place, 1});
  } else {
    ++losses_.back().count;
  }
}

// Blanks the damaged event up to `until`.
void EventSplitter::Lose(Chunk& chunk, std::size_t until, QualityCode code, std::string_view what) {
  const std::size_t begin = depth_ > 0 ? event_begin_ : gap_begin_;
  problems_.Add(code, Place(chunk, begin), what);
  CountLoss(Place(chunk, begin));
  char* text = chunk.storage_.get();
  std::memset(text + begin, ' ', until - begin);
  // Events stay separated: damage may have closed the one before early, with no comma behind it.
  const bool follows_event = chunk.end_ != 0;
  if (follows_event && std::memchr(text + chunk.end_, ',', begin - chunk.end_) == nullptr)
    text[begin] = ',';
  Resume(until);
}

bool EventSplitter::Recover(Chunk& chunk, bool at_limit) {
  const std::string_view text(chunk.storage_.get(), size_);
  const std::size_t begin = depth_ > 0 ? event_begin_ : gap_begin_;
  ObjectExtent extent{ObjectExtent::Kind::kError, 0};
  if (depth_ > 0) extent = MeasureObject(text.substr(begin));
  switch (extent.kind) {
    case ObjectExtent::Kind::kComplete: {
      // Well-formed but for control characters in its strings: the chunk parser repairs those.
      const std::size_t end = begin + extent.at;
      if (chunk.end_ == 0) chunk.begin_ = begin;
      chunk.end_ = end;
      last_event_end_ = Place(chunk, chunk.end_);
      last_begin_ = begin;
      Resume(end);
      return true;
    }
    case ObjectExtent::Kind::kIncomplete:
      if (at_limit || size_ - begin > limits_.max_event_bytes) {
        problems_.Add(QualityCode::kTooLarge, Place(chunk, begin),
                      "an event larger than the limit was skipped");
        CountLoss(Place(chunk, begin));
        // Its braces are counted from its start once more, now without keeping text.
        Resume(begin);
        skipping_ = true;
        return true;
      }
      needs_recovery_ = true;
      return false;
    case ObjectExtent::Kind::kTooDeep:
    case ObjectExtent::Kind::kError:
      break;
  }
  const bool too_deep = extent.kind == ObjectExtent::Kind::kTooDeep;
  // The damage may be noticed only at the next event's brace, behind the "}," that announces it.
  const std::size_t close = text.substr(begin, extent.at).find_last_of('}');
  const std::size_t from = begin + (close != std::string_view::npos ? close : extent.at);
  const std::size_t next = FindEventStart(text, from);
  if (next != std::string_view::npos) {
    Lose(chunk, next, too_deep ? QualityCode::kTooLarge : QualityCode::kInvalidJson,
         too_deep ? "an event nested deeper than 1000 levels was skipped"
                  : "an event that is not valid JSON was skipped");
    return true;
  }
  if (size_ - begin > limits_.max_event_bytes) {
    Lose(chunk, size_, QualityCode::kInvalidJson, "text that is not valid JSON was skipped");
    return true;
  }
  needs_recovery_ = true;
  return false;
}

void EventSplitter::Finish(Chunk& chunk) {
  using State = TopLevel::State;
  // The end of the text decides what was still open: damage hides as an event that never ends.
  while (top_.state() == State::kEvents && depth_ > 0 && !skipping_) {
    const ObjectExtent extent =
        MeasureObject({chunk.storage_.get() + event_begin_, size_ - event_begin_});
    if (extent.kind == ObjectExtent::Kind::kIncomplete) break;
    needs_recovery_ = false;
    if (!Recover(chunk, false)) {
      Lose(chunk, size_, QualityCode::kInvalidJson, "an event that is not valid JSON was skipped");
      break;
    }
    ReadEvents(chunk);
  }
  finished_ = true;
  if (top_.state() == State::kEvents && depth_ > 0)
    CountLoss(static_cast<std::int64_t>(read_bytes_));
  // An event with a brace too few swallows the end of the file; the parser reports that event.
  const bool complete = !last_event_is_sound_ || top_.state() == State::kEnd ||
                        top_.state() == State::kNotATrace || read_bytes_ == 0;
  if (!complete && source_.problems().entries().empty()) {
    problems_.Add(QualityCode::kTruncated, static_cast<std::int64_t>(read_bytes_),
                  "the text ends before the JSON does: the file was cut off, and everything before "
                  "that was read");
  }
  problems_.Merge(source_.problems());
}

}  // namespace rankscope::kineto
