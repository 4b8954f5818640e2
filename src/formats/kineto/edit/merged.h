// A merged trace: the traces of several ranks, or several recordings, in one document. Viewers show
// it on one time line; it can be read back as the original traces (docs/trace-tools.md).
//
// Its first outer key is "rankscope.merged". "rankscope.part.N" describes trace N: its name, its
// outer values, its time shift, and the numbers of its processes. Every process of every trace has
// a unique number, so an event's pid identifies its trace. Only these parts of an event change:
// pid; ts, by a constant; id, so that arrows of two traces never meet; the process_name, which gets
// the rank as a prefix.
// traces never meet; the text of process_name, which is led by the name of the rank.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/base/file_part.h"
#include "formats/kineto/edit/event_edit.h"
#include "formats/kineto/edit/event_text.h"

namespace rankscope::kineto {

struct MergedPart {
  std::string name;                  // file name
  std::int64_t rank = -1;            // -1: not stated
  std::int64_t shift_ns = 0;         // merged ts minus the trace's own
  std::string label;                 // prefix of process names: "rank 3: "
  bool is_array = false;             // the trace was a bare list
  std::int64_t offset_ns = 0;        // of its clock, subtracted; part of shift_ns
  std::int64_t uncertainty_ns = -1;  // of offset_ns; -1: clocks were not aligned
  TopValues values;
  // The number in the merged trace, and the JSON text in the original; nullopt if there was
  // none.
  std::vector<std::pair<std::uint32_t, std::optional<std::string>>> pids;

  // For a file that another tool merged (worded.h): ids of arrows stay unchanged, `texts` are the
  // pids there and in the trace as JSON text, and `events_of_none` counts events of no part.
  bool is_worded = false;
  std::vector<std::pair<std::string, std::string>> texts;
  std::int64_t events_of_none = 0;
};

inline constexpr std::string_view kMergedKey = "rankscope.merged";

// The outer keys that describe these parts, kMergedKey first.
TopValues DescribeParts(const std::vector<MergedPart>& parts);

// The parts of a merged trace, or of a trace with ranks in its pids (worded.h). Empty for any other
// trace, and for one that cannot be read at all (reading it reports why). Reads the beginning of
// the file; the whole file if pids contain ranks.
Result<std::vector<MergedPart>> ReadParts(const std::string& path);

// Changes the events of one trace into those of the merged one. One per thread.
class PartEditor {
 public:
  PartEditor(const MergedPart& part, std::size_t number, std::size_t count);
  void Append(const EventText& event, std::string& out);

 private:
  const MergedPart& part_;
  std::uint64_t number_;
  std::uint64_t count_;
  std::map<std::string, std::string, std::less<>> pids_;
  std::string none_;  // the number of events without pid
  TextEdits edits_;
};

// Restores the original events.
class PartRestorer {
 public:
  PartRestorer(const MergedPart& part, std::size_t number, std::size_t count);
  // False, with nothing appended, for an event of another part.
  bool Append(const EventText& event, std::string& out);

 private:
  const MergedPart& part_;
  std::uint64_t number_;
  std::uint64_t count_;
  std::map<std::string, std::string, std::less<>> pids_;
  std::string none_;  // the begin of events that had no pid: {"pid":1000
  TextEdits edits_;
};

// The text of trace `part` of a merged file, with every event restored. Reads the whole file for
// each part, in bounded memory.
Result<std::unique_ptr<ByteSource>> OpenMergedPart(const std::string& path,
                                                   std::vector<MergedPart> parts, std::size_t part,
                                                   const InflateLimits& limits = {});

// Opens a trace, or one of a merged file: for tools and readers.
Result<std::unique_ptr<ByteSource>> OpenTraceSource(const std::string& path, int part,
                                                    const InflateLimits& limits = {});

}  // namespace rankscope::kineto
