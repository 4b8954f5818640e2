#include "timeline/span_blocks.h"

#include <cstring>

#include "timeline/file_format.h"

namespace rankscope {
namespace {

constexpr std::size_t kSpanBytes = 8 + 8 + 4 + 4 + 4 + 1 + 1 + 1 + 1;

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T, typename Of>
void AppendColumn(std::string& out, std::span<const TimelineSpan> spans, const Of& of) {
  for (const TimelineSpan& span : spans) Append(out, static_cast<T>(of(span)));
}

}  // namespace

std::string ToBlock(std::span<const TimelineSpan> spans) {
  std::string bytes;
  bytes.reserve(spans.size() * kSpanBytes);
  std::int64_t before = 0;
  for (const TimelineSpan& span : spans) {
    // Differences of times that are far apart wrap around, and back again.
    Append(bytes, static_cast<std::uint64_t>(span.start_ns) - static_cast<std::uint64_t>(before));
    before = span.start_ns;
  }
  AppendColumn<std::int64_t>(bytes, spans, [](const auto& one) { return one.duration_ns; });
  AppendColumn<std::uint32_t>(bytes, spans, [](const auto& one) { return one.name; });
  AppendColumn<std::uint32_t>(bytes, spans, [](const auto& one) { return one.event; });
  AppendColumn<std::uint32_t>(bytes, spans, [](const auto& one) { return one.count; });
  AppendColumn<std::uint8_t>(bytes, spans, [](const auto& one) { return one.lane; });
  AppendColumn<std::uint8_t>(bytes, spans, [](const auto& one) { return one.kind; });
  AppendColumn<std::uint8_t>(bytes, spans, [](const auto& one) { return one.share; });
  AppendColumn<std::uint8_t>(bytes, spans, [](const auto& one) { return one.flags; });
  return PackZstd(bytes);
}

Status FromBlock(std::string_view packed, std::size_t count, std::vector<TimelineSpan>& spans) {
  RS_ASSIGN_OR_RETURN(const std::string bytes, UnpackZstd(packed, count * kSpanBytes));
  const char* at = bytes.data();
  const std::size_t first = spans.size();
  spans.resize(first + count);
  const auto read = [&]<typename T>(T TimelineSpan::*member) {
    for (std::size_t i = 0; i < count; ++i, at += sizeof(T))
      std::memcpy(&(spans[first + i].*member), at, sizeof(T));
  };
  read(&TimelineSpan::start_ns);
  read(&TimelineSpan::duration_ns);
  read(&TimelineSpan::name);
  read(&TimelineSpan::event);
  read(&TimelineSpan::count);
  read(&TimelineSpan::lane);
  read(&TimelineSpan::kind);
  read(&TimelineSpan::share);
  read(&TimelineSpan::flags);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) {
      spans[first + i].start_ns =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(spans[first + i].start_ns) +
                                    static_cast<std::uint64_t>(spans[first + i - 1].start_ns));
    }
    if (spans[first + i].kind >= TimelineKinds().size())
      return Error(StatusCode::kBadData, "the timeline is damaged: analyse the run again");
  }
  return OkStatus();
}

std::string ToColumns(std::string json, std::span<const TimelineSpan> spans,
                      std::span<const std::uint16_t> tracks) {
  json.resize((json.size() + 7) / 8 * 8, ' ');
  std::string bytes;
  bytes.reserve(8 + json.size() + spans.size() * (kSpanBytes + 2));
  Append(bytes, static_cast<std::uint64_t>(json.size()));
  bytes += json;
  AppendColumn<double>(bytes, spans, [](const auto& one) { return one.start_ns; });
  AppendColumn<double>(bytes, spans, [](const auto& one) { return one.duration_ns; });
  AppendColumn<std::uint32_t>(bytes, spans, [](const auto& one) { return one.name; });
  AppendColumn<std::uint32_t>(bytes, spans, [](const auto& one) { return one.event; });
  AppendColumn<std::uint32_t>(bytes, spans, [](const auto& one) { return one.count; });
  for (const std::uint16_t track : tracks) Append(bytes, track);
  AppendColumn<std::uint8_t>(bytes, spans, [](const auto& one) { return one.lane; });
  AppendColumn<std::uint8_t>(bytes, spans, [](const auto& one) { return one.kind; });
  AppendColumn<std::uint8_t>(bytes, spans, [](const auto& one) { return one.share; });
  AppendColumn<std::uint8_t>(bytes, spans, [](const auto& one) { return one.flags; });
  return bytes;
}

}  // namespace rankscope
