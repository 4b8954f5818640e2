// What is held in a later snapshot of the same process and was not in an earlier one.
//
// An allocation is in both when its address, size and stack are, unless the second history shows
// its address given out after the first snapshot was taken. Stacks are the same when their frames
// are.
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <string>
#include <tuple>

#include "memory/analysis.h"
#include "schemas/snapshot.h"

namespace rankscope::memory {
namespace {

struct Growth {
  std::string place;
  std::int64_t before_bytes = 0, after_bytes = 0;
  std::int64_t kept_bytes = 0, kept_count = 0;
  std::int64_t new_bytes = 0, new_count = 0;
};
// By device, category and the text of the stack.
using Key = std::tuple<std::int64_t, Category, std::string>;

const History* Find(const Analysis& analysis, std::int64_t device) {
  for (const History& history : analysis.histories()) {
    if (history.device().index == device) return &history;
  }
  return nullptr;
}

class TextOfStack {
 public:
  explicit TextOfStack(const Analysis& analysis) : analysis_(analysis) {}
  const std::string& operator()(std::uint32_t stack) {
    const auto [text, is_new] = texts_.try_emplace(stack);
    if (is_new) text->second = analysis_.places().Stack(stack);
    return text->second;
  }

 private:
  const Analysis& analysis_;
  std::map<std::uint32_t, std::string> texts_;
};

}  // namespace

std::int64_t LastTimeUs(const Analysis& analysis) {
  std::int64_t last = snapshot::kNoTime;
  for (const History& history : analysis.histories()) {
    if (history.event_count() > 0)
      last = std::max(last, history.event(history.event_count() - 1).time_us);
  }
  return last;
}

Table LeaksTable(const Analysis& first, const Analysis& second) {
  std::map<Key, Growth> by_stack;
  TextOfStack text_of_first(first);
  TextOfStack text_of_second(second);
  // Annotations do not count here: the later history may not reach back to them.
  const auto at = [&](const Analysis& analysis, std::int64_t device, std::uint32_t stack,
                      const std::string& text) -> Growth& {
    Growth& growth = by_stack[{device, analysis.places().category(stack), text}];
    if (growth.place.empty()) growth.place = analysis.places().Place(stack);
    return growth;
  };
  for (const History& history : first.histories()) {
    for (const Allocation& allocation : history.allocations()) {
      if (allocation.end != kNever) continue;
      const std::string& text = text_of_first(allocation.stack);
      at(first, history.device().index, allocation.stack, text).before_bytes +=
          static_cast<std::int64_t>(allocation.bytes);
    }
  }
  const std::int64_t last = LastTimeUs(first);
  for (const History& history : second.histories()) {
    const std::int64_t device = history.device().index;
    boost::unordered_flat_map<std::uint64_t, const Allocation*> before;
    if (const History* const of_first = Find(first, device)) {
      for (const Allocation& allocation : of_first->allocations()) {
        if (allocation.end == kNever) before.emplace(allocation.address, &allocation);
      }
    }
    for (const Allocation& allocation : history.allocations()) {
      if (allocation.end != kNever) continue;
      const std::string& text = text_of_second(allocation.stack);
      Growth& growth = at(second, device, allocation.stack, text);
      const auto bytes = static_cast<std::int64_t>(allocation.bytes);
      growth.after_bytes += bytes;
      const auto known = before.find(allocation.address);
      const bool is_later = allocation.begin != kBefore && last != snapshot::kNoTime &&
                            history.event(allocation.begin).time_us > last;
      if (!is_later && known != before.end() && known->second->bytes == allocation.bytes &&
          text_of_first(known->second->stack) == text) {
        growth.kept_bytes += bytes;
        ++growth.kept_count;
      } else {
        growth.new_bytes += bytes;
        ++growth.new_count;
      }
    }
  }

  const auto& columns = SchemaOf<SnapshotLeaks>();
  auto table = columns.NewTable(std::string(SnapshotLeaks::kName));
  for (const auto& [key, growth] : by_stack) {
    const auto& [device, category, text] = key;
    table.Add({columns.device = device, columns.category = ToString(category),
               columns.place =
                   growth.place.empty() ? Value(kNull) : Value(std::string_view(growth.place)),
               columns.before_bytes = growth.before_bytes, columns.after_bytes = growth.after_bytes,
               columns.growth_bytes = growth.after_bytes - growth.before_bytes,
               columns.kept_bytes = growth.kept_bytes, columns.kept_count = growth.kept_count,
               columns.new_bytes = growth.new_bytes, columns.new_count = growth.new_count,
               columns.stack = text.empty() ? Value(kNull) : Value(std::string_view(text))});
  }
  table.SortBy({{columns.device, false},
                {columns.growth_bytes, true},
                {columns.new_bytes, true},
                {columns.stack, false}});
  return table;
}

}  // namespace rankscope::memory
