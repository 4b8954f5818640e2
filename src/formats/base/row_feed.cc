#include "formats/base/row_feed.h"

#include <utility>

#include "formats/base/utf8.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostStringBytes = 64 * 1024;
constexpr std::size_t kRowsOfBatch = 4096;

}  // namespace

StringId RowFeed::Intern(std::string_view text) {
  if (text.size() > kMostStringBytes) {
    quality_.Add(QualityCode::kTooLarge, -1, "strings longer than 64 KiB were cut");
    std::size_t end = kMostStringBytes;  // not inside of a character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  if (IsUtf8(text)) return scope_.strings.Intern(text);
  quality_.Add(QualityCode::kInvalidUtf8, -1, "bytes that are not UTF-8 were replaced by U+FFFD");
  return scope_.strings.Intern(RepairUtf8(text));
}

std::uint32_t RowFeed::Track(Domain domain, std::int64_t first, std::int64_t second) {
  const TrackKey key{.first = first, .second = second, .domain = domain};
  const auto [place, is_new] =
      scope_.track_ids.emplace(key, static_cast<std::uint32_t>(scope_.tracks.size()));
  if (is_new) scope_.tracks.push_back(key);
  return place->second;
}

void RowFeed::NameThread(std::int64_t pid, std::int64_t tid, std::string_view name) {
  batch_.names.push_back({pid, tid, Intern(name), false});
}

void RowFeed::NameProcess(std::int64_t pid, std::string_view name) {
  batch_.names.push_back({pid, 0, Intern(name), true});
}

bool RowFeed::IsUsable(const FedRow& row) {
  const bool is_usable = row.ts_ns >= -kMaxTimeNs && row.ts_ns <= kMaxTimeNs &&
                         row.end_ns >= -kMaxTimeNs && row.end_ns <= kMaxTimeNs;
  if (!is_usable) CountBad("an event whose time is out of range was skipped");
  return is_usable;
}

void RowFeed::Add(const FedRow& row) {
  if (IsUsable(row)) AddRow(row, kNoAux);
}

void RowFeed::AddRow(const FedRow& fed, std::uint32_t aux) {
  RawRow row;
  row.ts_ns = fed.ts_ns;
  row.dur_ns = fed.end_ns - fed.ts_ns;
  if (row.dur_ns < 0) {
    row.dur_ns = kNoDuration;
    quality_.Add(QualityCode::kBadEvent, -1,
                 "the duration of an event that ends before it begins was taken as unknown");
  }
  row.correlation = fed.correlation;
  row.name = Intern(fed.name);
  row.category = Intern(fed.category);
  row.track = fed.track;
  row.source = static_cast<std::uint32_t>(batch_.event_count++);
  row.aux = aux;
  row.kind = fed.kind;
  batch_.rows.push_back(row);
  if (batch_.rows.size() >= kRowsOfBatch) Flush();
}

void RowFeed::CountBad(std::string_view why, std::int64_t byte) {
  ++batch_.event_count;
  ++batch_.bad_event_count;
  quality_.Add(QualityCode::kBadEvent, byte, why);
}

void RowFeed::Flush() {
  builder_.Append(batch_, scope_, 0);
  batch_.Clear();
}

RankTrace RowFeed::Finish(TraceMeta meta) && {
  Flush();
  meta.host_name = RepairUtf8(meta.host_name);
  for (DeviceProperties& device : meta.devices) device.name = RepairUtf8(device.name);
  return std::move(builder_).Finish(std::move(meta), std::move(quality_));
}

}  // namespace rankscope
