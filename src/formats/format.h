// The formats that can be read as the trace of a rank. Each format has a folder; only this list
// knows all of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/base/read_options.h"
#include "trace/trace.h"

namespace rankscope {

struct TraceFormat {
  std::string_view name;    // as in TraceMeta::format
  std::string_view ending;  // of its file names, before .gz or .zst: ".json"
  // What files of this format never contain, in words for `trace info`; "" if that depends on how
  // the program was profiled.
  std::string_view unknown;
  // Recognises the format by the first bytes of the content (formats/base/head.h).
  bool (*is_it)(std::string_view head);
  Result<RankTrace> (*read)(const std::string& path, const ReadOptions& options);
  // Names of the traces in a file that holds several: merged ones, or those of several processes.
  // Empty for a file with a single trace, or one that cannot be read: reading it reports why.
  std::vector<std::string> (*parts)(const std::string& path) = nullptr;  // null: always one trace
};

// The last one is Kineto's; it takes every file that the others reject.
std::span<const TraceFormat> TraceFormats();
// File name endings of traces, without duplicates.
std::vector<std::string_view> TraceEndings();
// nullptr if no format has this name.
const TraceFormat* FindTraceFormat(std::string_view name);

// Reads a trace file of any format, recognised by its content. meta.quality lists what could not be
// read; the call fails only when there is nothing to show.
Result<RankTrace> ReadTraceFile(const std::string& path, const ReadOptions& options = {});

// See TraceFormat::parts. `head` is the result of HeadOf(path).
std::vector<std::string> PartsOf(const std::string& path, std::string_view head);
std::vector<std::string> PartsOf(const std::string& path);

// Tools that change the text of traces accept only Kineto's and Chrome's JSON. For any other known
// format, including unreadable ones, an error with a sentence about it; OK for unknown content.
Status CheckIsKineto(const std::string& path);

}  // namespace rankscope
