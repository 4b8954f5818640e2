// The tables of what was read.
#pragma once

#include <string_view>

#include "schemas/rank_rows.h"

namespace rankscope {

struct Captures : Schema<Captures, RankRows> {
  static constexpr std::string_view kName = "captures";

  IntColumn run = Int("run", "", "recordings of one run of a program share a number");
  IntColumn group = Int("group", "", "recordings of ranks that overlap in time share a group");
  FlagColumn analysed = Flag("analysed", "false when the recording was left out (see --capture)");
  StringColumn host = Text("host", "host name; null when the trace does not state it");
  StringColumn device = Text("device", "name of the first device; null when there is none");
  IntColumn start_ns = Int("start_ns", "ns",
                           "begin of the recording from the job's origin, by the rank's own clock");
  IntColumn duration_ns =
      Int("duration_ns", "ns", "from the first begin to the last end of an event");
  IntColumn events = Int("events", "", "elements of traceEvents");
  IntColumn rows = Int("rows", "", "events with a place on a timeline");
  StringColumn content =
      Text("content",
           "hash of the file (XXH3, 128 bits): names the recording, whose number shifts when files "
           "are added");
  StringColumn file = Text("file", "path of the file");
};
extern template const Captures& SchemaOf<Captures>();

struct DataQuality : Schema<DataQuality> {
  static constexpr std::string_view kName = "data_quality";

  IntColumn rank = Int("rank", "", "global rank; null for a file that is no trace");
  StringColumn file = Text("file", "path of the file");
  StringColumn code = Text("code", "kind of the problem");
  IntColumn byte =
      Int("byte", "", "first place, as offset in the uncompressed text; null = the whole file");
  IntColumn count = Int("count", "", "how often it was met");
  StringColumn message = Text("message", "what is wrong and what was done about it");
};
extern template const DataQuality& SchemaOf<DataQuality>();

}  // namespace rankscope
