#include "formats/foreign/foreign.h"

#include <algorithm>
#include <iterator>

#include "formats/et/reader.h"
#include "formats/flight/reader.h"
#include "formats/memory_timeline/reader.h"

namespace rankscope {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view sentence;
};

constexpr std::string_view kUtf16 =
    "the text is UTF-16; a trace is UTF-8: iconv -f UTF-16 -t UTF-8 FILE > trace.json";
constexpr std::string_view kNsightReport =
    "this is a report of Nsight Systems, of which only its own tools can read the file; export it "
    "and name the result: nsys export --type sqlite REPORT.nsys-rep";
constexpr std::string_view kFlightDump =
    "this is a dump of PyTorch's Flight Recorder, which has no times of device work; rankscope "
    "hang FOLDER says from the dumps of all ranks what a job waits for";
constexpr std::string_view kExecutionTrace =
    "this is an execution trace (ExecutionTraceObserver), which has no times: these come from the "
    "Kineto trace of the same process and run (torch.profiler, export_chrome_trace); name both, or "
    "the folder in which both lie";
constexpr std::string_view kPickle =
    "this is a pickle; if torch.cuda.memory._dump_snapshot wrote it: rankscope memory FILE";

constexpr std::string_view kMemoryTimeline =
    "this is a memory timeline of torch.profiler (export_memory_timeline): rankscope memory FILE";

// What files begin with.
constexpr Signature kSignatures[] = {
    {"\xff\xfe"sv, kUtf16},
    {"\xfe\xff"sv, kUtf16},
    {"{\0"sv, kUtf16},
    {"[\0"sv, kUtf16},
    {"\0{"sv, kUtf16},
    {"\0["sv, kUtf16},
    {"PAR1"sv,
     "this is a Parquet file; rankscope query PATH --allow-files \"FROM 'FILE'\" reads it beside a "
     "job's traces"},
    {"PK\x03\x04"sv, "this is a zip archive; unpack it and name the trace in it"},
    {"BZh"sv, "this is packed with bzip2; unpack it (bunzip2 FILE) or pack it as gzip"},
    {"\xfd"
     "7zXZ\0"sv,
     "this is packed with xz; unpack it (unxz FILE) or pack it as gzip"},
    {"\x80\x02"sv, kPickle},
    {"\x80\x03"sv, kPickle},
    {"\x80\x04"sv, kPickle},
    {"\x80\x05"sv, kPickle},
    {"<!DOCTYPE"sv, "this is a web page; a download may have failed"},
    {"<html"sv, "this is a web page; a download may have failed"},
};

// Tables of SQLite databases, whose statements stand in the first page.
constexpr Signature kTables[] = {
    {"device_traces"sv,
     "this is a memory snapshot in SQLite (_dump_snapshot_sqlite); write the pickle, too, "
     "torch.cuda.memory._dump_snapshot(FILE), and name that: rankscope memory FILE"},
    {"memscope_dump"sv,
     "this is a database of msMemScope, which MindStudio Insight shows; rankscope memory reads the "
     "pickle of torch_npu.npu.memory._dump_snapshot"},
    {"leaks_dump"sv,
     "this is a database of msLeaks, which MindStudio Insight shows; rankscope memory reads the "
     "pickle of torch_npu.npu.memory._dump_snapshot"},
};

// Keys of JSON files that are something else.
constexpr Signature kKeys[] = {
    {"\"device_traces\""sv,
     "this is a memory snapshot as JSON; rankscope memory reads the pickle that "
     "torch.cuda.memory._dump_snapshot writes"},
};

constexpr Signature kEnds[] = {
    {".nsys-rep"sv, kNsightReport},
    {".qdrep"sv, kNsightReport},
    {".ncu-rep"sv,
     "this is a report of Nsight Compute, not a PyTorch profiler trace; profile the program with "
     "torch.profiler and export_chrome_trace"},
    {".pftrace"sv,
     "this is a trace of Perfetto's own format, not a PyTorch profiler trace (Chrome JSON)"},
    {".perfetto-trace"sv,
     "this is a trace of Perfetto's own format, not a PyTorch profiler trace (Chrome JSON)"},
};

}  // namespace

std::string_view NameForeignFormat(std::string_view head, std::string_view path) {
  if (flight::IsDump(head)) return kFlightDump;
  if (et::IsExecutionTrace(head)) return kExecutionTrace;
  for (const Signature& signature : kSignatures) {
    if (head.starts_with(signature.bytes)) return signature.sentence;
  }
  if (head.starts_with("SQLite format 3\0"sv)) {
    for (const Signature& table : kTables) {
      if (head.find(table.bytes) != std::string_view::npos) return table.sentence;
    }
  }
  if (memory_timeline::IsTimeline(head)) return kMemoryTimeline;
  for (const Signature& key : kKeys) {
    if (head.find(key.bytes) != std::string_view::npos) return key.sentence;
  }
  const auto end = std::find_if(std::begin(kEnds), std::end(kEnds),
                                [&](const Signature& name) { return path.ends_with(name.bytes); });
  return end == std::end(kEnds) ? std::string_view() : end->sentence;
}

}  // namespace rankscope
