#include "formats/memory_timeline/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"

namespace rankscope::memory_timeline {
namespace {

using snapshot::CategoryChange;

class Parser {
 public:
  Parser(ByteSource& source, const std::string& path)
      : source_(source), path_(path), buffer_(std::size_t{64} << 10, '\0') {}

  Status Parse(std::vector<CategoryChange>& changes) {
    RS_RETURN_IF_ERROR(Expect('['));
    if (Peek() == ']') return OkStatus();
    RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> first, Numbers());
    bool is_end = false;
    RS_RETURN_IF_ERROR(NextOrEnd(is_end));
    if (!is_end) {
      RS_RETURN_IF_ERROR(Expect('['));
      if (const char next = Peek(); next == '[' || (next == ']' && first.empty()))
        return Levels(first, changes);
    }
    RS_RETURN_IF_ERROR(AddRow(first, changes));
    while (!is_end) {
      RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> row, RestOfNumbers());
      RS_RETURN_IF_ERROR(AddRow(row, changes));
      RS_RETURN_IF_ERROR(NextOrEnd(is_end));
      if (!is_end) RS_RETURN_IF_ERROR(Expect('['));
    }
    return OkStatus();
  }

 private:
  // The next character that is no space; 0 at the end.
  char Peek() {
    while (true) {
      for (; at_ < end_; ++at_) {
        if (!IsJsonSpace(buffer_[at_])) return buffer_[at_];
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
    return Error(StatusCode::kBadData, "{}: byte {}: not {} of a memory timeline: {}", path_,
                 before_ + at_, shape_, what);
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

  // Behind an element of a list.
  Status NextOrEnd(bool& is_end) {
    const char next = Peek();
    if (next != ',' && next != ']') return Bad("',' or ']' is missing");
    ++at_;
    is_end = next == ']';
    return OkStatus();
  }

  Result<std::vector<std::int64_t>> Numbers() {
    RS_RETURN_IF_ERROR(Expect('['));
    return RestOfNumbers();
  }

  // Of a list whose bracket was read.
  Result<std::vector<std::int64_t>> RestOfNumbers() {
    std::vector<std::int64_t> numbers;
    if (Peek() == ']') {
      ++at_;
      return numbers;
    }
    for (bool is_end = false; !is_end;) {
      Peek();
      RS_ASSIGN_OR_RETURN(const std::int64_t number, Number());
      numbers.push_back(number);
      RS_RETURN_IF_ERROR(NextOrEnd(is_end));
    }
    return numbers;
  }

  Status AddRow(const std::vector<std::int64_t>& row, std::vector<CategoryChange>& changes) {
    if (row.size() != 4) return Bad("it has not four numbers");
    const std::int64_t time = row[0], action = row[1], bytes = row[2], category = row[3];
    if (time < -1 || time > kMostTimeNs) return Bad("no time");
    if (action < 0 || action > 4) return Bad("no action");
    if (bytes < -kMostBytes || bytes > kMostBytes) return Bad("no size of memory");
    if (category < 0 || category >= static_cast<std::int64_t>(snapshot::kCategoryCount))
      return Bad("no category");
    changes.push_back(
        {time, bytes, static_cast<std::uint8_t>(category), static_cast<std::uint8_t>(action)});
    return OkStatus();
  }

  // The list of levels, behind its bracket, and the end of the file's own list.
  Status Levels(const std::vector<std::int64_t>& times, std::vector<CategoryChange>& changes) {
    shape_ = "a list [times, sizes by category]";
    std::array<std::int64_t, snapshot::kCategoryCount> held{};
    std::size_t level = 0;
    for (bool is_end = Peek() == ']'; !is_end; ++level) {
      RS_ASSIGN_OR_RETURN(const std::vector<std::int64_t> sizes, Numbers());
      // The first is the ground on which a plot stacks the categories.
      if (sizes.size() != held.size() + 1) return Bad("a level has not nine sizes");
      if (level == times.size()) return Bad("there are more levels than times");
      const std::int64_t time_us = times[level];
      if (time_us < -1 || time_us > kMostTimeNs / kNsPerUs) return Bad("no time");
      const bool is_before = level == 0 && times.size() > 1 && (time_us < 0 || times[1] == time_us);
      for (std::size_t i = 0; i < held.size(); ++i) {
        const std::int64_t size = sizes[i + 1];
        if (size < -kMostBytes || size > kMostBytes) return Bad("no size of memory");
        if (size == held[i]) continue;
        const std::uint8_t action = is_before ? 1 : size > held[i] ? 2 : 4;
        changes.push_back({is_before ? -1 : std::max<std::int64_t>(time_us, 0) * kNsPerUs,
                           size - held[i], static_cast<std::uint8_t>(i), action});
        held[i] = size;
      }
      RS_RETURN_IF_ERROR(NextOrEnd(is_end));
    }
    if (times.empty()) ++at_;
    if (level != times.size()) return Bad("there are fewer levels than times");
    return Expect(']');
  }

  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
  static constexpr std::int64_t kMostTimeNs = std::int64_t{1} << 62;
  static constexpr std::int64_t kNsPerUs = 1000;

  std::string_view shape_ = "a row [time, action, bytes, category]";
  ByteSource& source_;
  const std::string& path_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::uint64_t before_ = 0;
};

}  // namespace

// "[[-1, 1, 37888, 7], ...": lists of four whole numbers; "[[5, 6, 8], [[0, ...": one list of whole
// numbers, and one of lists.
bool IsTimeline(std::string_view head) {
  std::size_t commas = 0;
  std::size_t at = 0;
  const auto next = [&]() -> char {
    while (at < head.size() && IsJsonSpace(head[at])) ++at;
    return at < head.size() ? head[at++] : '\0';
  };
  if (next() != '[' || next() != '[') return false;
  char c = next();
  for (; c != ']' && c != '\0'; c = next()) {
    if (c == ',') {
      ++commas;
    } else if (c != '-' && (c < '0' || c > '9')) {
      return false;
    }
  }
  if (c == '\0') return commas > 3;  // more times than the head has room for
  if (commas == 3) return true;
  return next() == ',' && next() == '[' && next() == '[';
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
