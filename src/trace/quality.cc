#include "trace/quality.h"

#include <algorithm>

namespace rankscope {

void QualityLog::Add(QualityCode code, std::int64_t byte, std::string_view what,
                     std::int64_t count) {
  for (QualityEntry& entry : entries_) {
    if (entry.code != code || entry.message != what) continue;
    entry.count += count;
    if (byte >= 0 && (entry.byte < 0 || byte < entry.byte)) entry.byte = byte;
    return;
  }
  entries_.push_back({code, byte, count, std::string(what)});
}

void QualityLog::Merge(const QualityLog& other) {
  for (const QualityEntry& entry : other.entries_)
    Add(entry.code, entry.byte, entry.message, entry.count);
}

std::vector<QualityEntry> QualityLog::TakeSorted() {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const QualityEntry& a, const QualityEntry& b) {
                     return static_cast<std::uint64_t>(a.byte) < static_cast<std::uint64_t>(b.byte);
                   });
  return std::move(entries_);
}

}  // namespace rankscope
