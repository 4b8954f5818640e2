#include "formats/memory_timeline/reader.h"

#include <charconv>
#include <utility>

namespace rankscope::memory_timeline {
namespace {

using snapshot::CategoryChange;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class Parser {
 public:
  Parser(ByteSource& source, const std::string& path)
      : source_(source), path_(path), buffer_(std::size_t{64} << 10, '\0') {}

  Status Parse(std::vector<CategoryChange>& changes) {
    RS_RETURN_IF_ERROR(Expect('['));
    if (Peek() == ']') return OkStatus();
    while (true) {
      RS_RETURN_IF_ERROR(Row(changes));
      const char next = Peek();
      ++at_;
      if (next == ']') return OkStatus();
      if (next != ',') return Bad("',' or ']' is missing");
    }
  }

 private:
  // The next character that is no space; 0 at the end.
  char Peek() {
    while (true) {
      for (; at_ < end_; ++at_) {
        if (!IsSpace(buffer_[at_])) return buffer_[at_];
      }
      if (!Refill()) return '\0';
    }
  }

  bool Refill() {
    before_ += end_;
    at_ = 0;
    end_ = source_.Read(buffer_.data(), buffer_.size());
    return end_ > 0;
  }

  Status Bad(std::string_view what) const {
    const auto& problems = source_.problems().entries();
    if (end_ == 0)
      return Error(StatusCode::kBadData, "{}: byte {}: the memory timeline is cut off{}{}", path_,
                   before_, problems.empty() ? "" : ": ",
                   problems.empty() ? std::string() : problems.front().message);
    return Error(StatusCode::kBadData,
                 "{}: byte {}: not a row [time, action, bytes, category] of a memory timeline: {}",
                 path_, before_ + at_, what);
  }

  Status Expect(char wanted) {
    if (Peek() != wanted) return Bad(std::string("'") + wanted + "' is missing");
    ++at_;
    return OkStatus();
  }

  Result<std::int64_t> Number() {
    char digits[24];
    std::size_t size = 0;
    for (char next = Peek(); size < sizeof(digits); ++size) {
      if (next != '-' && (next < '0' || next > '9')) break;
      digits[size] = next;
      ++at_;
      next = at_ == end_ && !Refill() ? '\0' : buffer_[at_];
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits, digits + size, value);
    if (error != std::errc() || end != digits + size) return Bad("a whole number is missing");
    return value;
  }

  Status Row(std::vector<CategoryChange>& changes) {
    RS_RETURN_IF_ERROR(Expect('['));
    RS_ASSIGN_OR_RETURN(const std::int64_t time, Number());
    RS_RETURN_IF_ERROR(Expect(','));
    RS_ASSIGN_OR_RETURN(const std::int64_t action, Number());
    RS_RETURN_IF_ERROR(Expect(','));
    RS_ASSIGN_OR_RETURN(const std::int64_t bytes, Number());
    RS_RETURN_IF_ERROR(Expect(','));
    RS_ASSIGN_OR_RETURN(const std::int64_t category, Number());
    RS_RETURN_IF_ERROR(Expect(']'));
    constexpr std::int64_t kMost = std::int64_t{1} << 50;
    if (time < -1 || time > (std::int64_t{1} << 62)) return Bad("no time");
    if (action < 0 || action > 4) return Bad("no action");
    if (bytes < -kMost || bytes > kMost) return Bad("no size of memory");
    if (category < 0 || category >= static_cast<std::int64_t>(snapshot::kCategoryCount))
      return Bad("no category");
    changes.push_back(
        {time, bytes, static_cast<std::uint8_t>(category), static_cast<std::uint8_t>(action)});
    return OkStatus();
  }

  ByteSource& source_;
  const std::string& path_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::uint64_t before_ = 0;
};

}  // namespace

// "[[-1, 1, 37888, 7], ...": four whole numbers and nothing else.
bool IsTimeline(std::string_view head) {
  std::size_t commas = 0;
  std::size_t brackets = 0;
  for (const char c : head) {
    if (IsSpace(c)) continue;
    if (brackets < 2) {
      if (c != '[') return false;
      ++brackets;
    } else if (c == ']') {
      return commas == 3;
    } else if (c == ',') {
      ++commas;
    } else if (c != '-' && (c < '0' || c > '9')) {
      return false;
    }
  }
  return false;
}

Result<snapshot::CategoryTimeline> Read(ByteSource& source, const std::string& path) {
  snapshot::CategoryTimeline timeline;
  timeline.path = path;
  RS_RETURN_IF_ERROR(Parser(source, path).Parse(timeline.changes));
  return timeline;
}

Result<snapshot::CategoryTimeline> Read(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path));
  return Read(*source, path);
}

}  // namespace rankscope::memory_timeline
