// The tables of a store of runs.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct StoredRuns : Schema<StoredRuns> {
  static constexpr std::string_view kName = "runs";

  StringColumn id = Text("id", "names the run in the store");
  StringColumn name = Text("name", "as it was given");
  StringColumn state = Text("state", "uploading, queued, analysing, ready or failed");
  StringColumn created = Text("created", "when it was added, UTC");
  IntColumn world_size = Int("world_size", "", "ranks of the job; null when not known");
  StringColumn hardware = Text("hardware", "as given, else the first device's name");
  StringColumn model = Text("model", "as given");
  StringColumn user = Text("user", "as given");
  StringColumn team = Text("team", "as given");
  StringColumn product = Text("product", "as given");
  StringColumn framework = Text("framework", "as given");
  StringColumn tags = Text("tags", "name=value, with commas between");
  IntColumn files = Int("files", "", "trace files");
  IntColumn bytes = Int("bytes", "bytes", "of the trace files, as they lie on disk");
  IntColumn reports = Int("reports", "", "reports made of it so far");
  StringColumn reason = Text("reason", "why it failed");
};
extern template const StoredRuns& SchemaOf<StoredRuns>();

}  // namespace rankscope
