#include "mcp/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/writer.h"

namespace rankscope::mcp {
namespace {

constexpr std::uint64_t kMostTold = 100;  // of one reading

}  // namespace

std::optional<std::string> Progress::After(const app::ReadProgress& now) {
  // Files are read again: a new reading.
  if (now.bytes_done < now_) before_ += now_;
  now_ = now.bytes_done;
  const std::uint64_t done = before_ + now_;
  const std::uint64_t total = before_ + std::max(now.bytes, now.bytes_done);
  if (told_ && done < *told_ + std::max<std::uint64_t>(1, now.bytes / kMostTold))
    return std::nullopt;
  told_ = done;
  std::string params;
  json::Writer writer(params);
  writer.BeginObject().Key("progressToken").Raw(token_);
  writer.Member("progress", done).Member("total", total);
  if (HasAnnotations(version_)) {
    writer.Member("message", now.files == 0 ? std::string("reading")
                                            : fmt::format("reading {} of {} files", now.files_done,
                                                          now.files));
  }
  writer.EndObject();
  return params;
}

}  // namespace rankscope::mcp
