// For info.cc: the text about one file.
#pragma once

#include <string>

#include "base/status.h"
#include "formats/et/reader.h"
#include "formats/flight/dump.h"
#include "trace/trace.h"

namespace rankscope::app {

// For people.
std::string TraceInfoText(const RankTrace& trace);
std::string DumpInfoText(const flight::FlightDump& dump);
std::string ExecutionInfoText(const et::ExecutionTrace& trace);
// For programs.
void AppendTraceInfoJson(const RankTrace& trace, std::string& out);
void AppendDumpInfoJson(const flight::FlightDump& dump, std::string& out);
void AppendExecutionInfoJson(const et::ExecutionTrace& trace, std::string& out);
void AppendErrorJson(const std::string& path, const Status& status, std::string& out);

}  // namespace rankscope::app
