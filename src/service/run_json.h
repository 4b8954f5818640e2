// A run as the API shows it.
#pragma once

#include <string>

#include "store/run.h"

namespace rankscope::service {

// {"id","url","name","user","team","model","product","framework","hardware","world_size","tags",
//  "created","changed" (ISO 8601, UTC),"state","progress" (0 to 1, null unless analysing),"reason",
//  "files" (how many),"bytes","version" (of the report, null without),"summary" (summary.json of
//  the report, null without),"has_metrics","snapshots" (files that are memory snapshots),
//  "set_aside":[{"file","reason"}]}; unknown is null.
void AppendRunJson(std::string& out, const store::Run& run, double progress);

// A memory snapshot, by its name: NAME.pickle, .pickle.gz or .pickle.zst. Analyses of traces pass
// it over.
bool IsMemorySnapshot(std::string_view file);

std::string IsoTime(std::int64_t seconds);

}  // namespace rankscope::service
