#include "snoop_file/read_windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/file.h"
#include "json/fields.h"
#include "json/reader.h"

namespace rankscope::snoop_file {
namespace {

constexpr std::string_view kSnoopBegin = "rankscope-snoop-";
constexpr std::string_view kOffCpuBegin = "rankscope-offcpu-";

// What a window is not without.
Status CheckHead(const Window& window) {
  if (window.begin_unix_ns <= 0)
    return Error(StatusCode::kBadData,
                 "begin_unix_ns: nanoseconds since 1970 are needed, in which the window began");
  if (window.window_ns <= 0)
    return Error(StatusCode::kBadData, "window_ns: the window's length in nanoseconds is needed");
  return OkStatus();
}

// Parts that do not fit together are none.
void CheckTimelines(SnoopWindow& window) {
  std::erase_if(window.timelines, [](const Timeline& one) { return one.part_ns <= 0; });
  for (Timeline& one : window.timelines) {
    const std::size_t parts = std::min(one.highest_bytes.size(), one.last_bytes.size());
    one.highest_bytes.resize(parts);
    one.last_bytes.resize(parts);
  }
}

template <typename T>
Result<T> Read(const json::Value& root) {
  T window;
  RS_RETURN_IF_ERROR(json::FieldsOf<T>().Read(root, window));
  RS_RETURN_IF_ERROR(CheckHead(window));
  return window;
}

// Whether the format is that of `begin`, in a version that is read here.
Result<bool> IsFormat(std::string_view format, std::string_view begin) {
  if (!format.starts_with(begin)) return false;
  const std::string_view text = format.substr(begin.size());
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1) return false;
  if (version > kVersion)
    return Error(StatusCode::kBadData,
                 "a newer rankscope-agent wrote it ({}{}): this program reads up to {}{}, and a "
                 "newer one is needed",
                 begin, version, begin, kVersion);
  return true;
}

}  // namespace

bool IsWindowName(std::string_view path) {
  return path.ends_with(".snoop.json") || path.ends_with(".offcpu.json");
}

Status AddWindow(std::string_view text, Windows& windows) {
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(text));
  const json::Value root = reader.root();
  const std::string format = root["format"].TextOr("");
  RS_ASSIGN_OR_RETURN(const bool is_snoop, IsFormat(format, kSnoopBegin));
  if (is_snoop) {
    RS_ASSIGN_OR_RETURN(SnoopWindow window, Read<SnoopWindow>(root));
    CheckTimelines(window);
    windows.snoop.push_back(std::move(window));
    return OkStatus();
  }
  RS_ASSIGN_OR_RETURN(const bool is_offcpu, IsFormat(format, kOffCpuBegin));
  if (!is_offcpu)
    return Error(StatusCode::kBadData,
                 "no window of snoop or offcpu: its 'format' is neither {} nor {}; rankscope-agent "
                 "snoop --format json writes one",
                 kSnoopFormat, kOffCpuFormat);
  RS_ASSIGN_OR_RETURN(OffCpuWindow window, Read<OffCpuWindow>(root));
  windows.offcpu.push_back(std::move(window));
  return OkStatus();
}

Status AddWindowFile(const std::string& path, Windows& windows) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  RS_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  if (file->bytes().size() > kMostBytes)
    return Error(StatusCode::kResource, "{}: a window of snoop is read up to 256 MiB", path);
  const Status added = AddWindow(file->text(), windows);
  if (added.ok()) return added;
  return Error(added.code(), "{}: {}", path, added.message());
}

}  // namespace rankscope::snoop_file
