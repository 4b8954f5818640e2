// The formats of which a file can be read as the trace of a rank. Each is a folder; nothing but
// this list knows them all.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/byte_source.h"
#include "formats/file_part.h"
#include "trace/trace.h"

namespace rankscope {

struct ReadOptions {
  int threads = 1;        // for formats that can use several
  int part = kWholeFile;  // of a file that holds several traces (PartsOf)
  InflateLimits inflate;
  // The execution trace of the same run, of which Kineto's takes what it lacks; "" without one.
  std::string execution_trace;
  // Called now and then by one thread at a time with the part of the file that was read (0 to 1)
  // and the bytes of text so far; false stops the reading.
  std::function<bool(double fraction, std::uint64_t text_bytes)> progress;
};

struct TraceFormat {
  std::string_view name;    // as TraceMeta::format has it
  std::string_view ending;  // of its files' names, before .gz or .zst: ".json"
  // What files of this format never say, in words for `trace info`; "" where that depends on how
  // the program was profiled.
  std::string_view unknown;
  // By the first bytes of the content (inflated; at most kForeignHeadBytes, formats/foreign.h).
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

// See TraceFormat::parts.
std::vector<std::string> PartsOf(const std::string& path);

// What changes the text of traces takes Kineto's and Chrome's JSON alone: a sentence of any other
// format, those too that nobody here reads. OK for what cannot be told.
Status CheckIsKineto(const std::string& path);

// The first bytes of the content, inflated; "" when the file cannot be read.
std::string HeadOf(const std::string& path, const InflateLimits& limits = {});

}  // namespace rankscope
