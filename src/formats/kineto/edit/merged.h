// A merged trace: the traces of several ranks, or several recordings, in one document that viewers
// show on one time line, and that is read back as the traces it was made of (docs/trace-tools.md).
//
// Its first outer key is "rankscope.merged"; "rankscope.part.N" says what trace N was: its name,
// its outer values, by how much its times were moved, and which of its processes got which number.
// Every process of every trace has a number of its own, so an event's pid tells whose it is. What
// is changed in an event, and nothing else is: pid; ts, by a constant; id, so that arrows of two
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
  std::string name;                  // of its file
  std::int64_t rank = -1;            // -1: not stated
  std::int64_t shift_ns = 0;         // merged ts less the trace's own
  std::string label;                 // in front of names of processes: "rank 3: "
  bool is_array = false;             // the trace was a bare list
  std::int64_t offset_ns = 0;        // of its clock, taken off; part of shift_ns
  std::int64_t uncertainty_ns = -1;  // of that; -1: clocks were not aligned
  TopValues values;
  // The number in the merged trace, and what stood in the trace: JSON text, nullopt where nothing
  // did.
  std::vector<std::pair<std::uint32_t, std::optional<std::string>>> pids;

  // Of a file that another tool merged (worded.h): ids of arrows stay as they are, `texts` are the
  // pids there and in the trace as JSON text, and so many events are of no part.
  bool is_worded = false;
  std::vector<std::pair<std::string, std::string>> texts;
  std::int64_t events_of_none = 0;
};

inline constexpr std::string_view kMergedKey = "rankscope.merged";

// The outer keys that tell of these parts, the first one first.
TopValues DescribeParts(const std::vector<MergedPart>& parts);

// The parts of a merged trace, or of one that tells ranks apart by words in pids (worded.h); none
// when it is another trace, or cannot be read at all (reading it says why). Reads the beginning of
// the file; with such words all of it.
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

// Changes them back.
class PartRestorer {
 public:
  PartRestorer(const MergedPart& part, std::size_t number, std::size_t count);
  // False, and nothing is appended, for an event of another part.
  bool Append(const EventText& event, std::string& out);

 private:
  const MergedPart& part_;
  std::uint64_t number_;
  std::uint64_t count_;
  std::map<std::string, std::string, std::less<>> pids_;
  std::string none_;  // how events begin that had no pid: {"pid":1000
  TextEdits edits_;
};

// The text of trace `part` of these of a merged file, event by event what was merged. Reads the
// whole file for each part, in bounded memory.
Result<std::unique_ptr<ByteSource>> OpenMergedPart(const std::string& path,
                                                   std::vector<MergedPart> parts, std::size_t part,
                                                   const InflateLimits& limits = {});

// A trace, or one of a merged file: what tools and readers open.
Result<std::unique_ptr<ByteSource>> OpenTraceSource(const std::string& path, int part,
                                                    const InflateLimits& limits = {});

}  // namespace rankscope::kineto
