// The formats of which a file can be read as the trace of a rank. Each is a folder; nothing but
// this list knows them all.
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
  std::string_view name;    // as TraceMeta::format has it
  std::string_view ending;  // of its files' names, before .gz or .zst: ".json"
  // What files of this format never say, in words for `trace info`; "" where that depends on how
  // the program was profiled.
  std::string_view unknown;
  // By the first bytes of the content (formats/base/head.h).
  bool (*is_it)(std::string_view head);
  Result<RankTrace> (*read)(const std::string& path, const ReadOptions& options);
  // Names of the traces in a file that holds several: merged ones, or those of several processes.
  // None of a file that is one trace, or that cannot be read: reading it says why.
  std::vector<std::string> (*parts)(const std::string& path) = nullptr;  // null: always one
};

// Kineto's is the last, and takes what no other does.
std::span<const TraceFormat> TraceFormats();
// What names of traces end in, each once.
std::vector<std::string_view> TraceEndings();
// nullptr when there is none of this name.
const TraceFormat* FindTraceFormat(std::string_view name);

// Reads a trace file of any of them, told by its content. What cannot be read is in meta.quality;
// fails only when there is nothing to show.
Result<RankTrace> ReadTraceFile(const std::string& path, const ReadOptions& options = {});

// See TraceFormat::parts. `head` is what HeadOf(path) gave.
std::vector<std::string> PartsOf(const std::string& path, std::string_view head);
std::vector<std::string> PartsOf(const std::string& path);

// What changes the text of traces takes Kineto's and Chrome's JSON alone: a sentence of any other
// format, those too that nobody here reads. OK for what cannot be told.
Status CheckIsKineto(const std::string& path);

}  // namespace rankscope
