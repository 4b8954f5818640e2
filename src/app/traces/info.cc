#include "app/traces/info.h"

#include <fmt/core.h>

#include <utility>

#include "app/traces/info_text.h"
#include "engine/discover.h"
#include "formats/base/head.h"
#include "formats/et/reader.h"
#include "formats/flight/reader.h"
#include "formats/format.h"
#include "json/writer.h"
#include "table/terminal_text.h"

namespace rankscope::app {
namespace {

// All that was read, and the first error.
class Infos {
 public:
  explicit Infos(InfoFormat format) : is_json_(format == InfoFormat::kJson) {
    if (is_json_) writer_.BeginObject().Key("files").BeginArray();
  }

  void AddTraceIn(const TraceInput& input, int threads) {
    const std::string head = HeadOf(input.file);
    if (flight::IsDump(head)) {
      Add(input, flight::ReadDump(input.file), AppendDumpInfoJson, DumpInfoText);
    } else if (et::IsExecutionTrace(head)) {
      Add(input, et::ReadExecutionTrace(input.file), AppendExecutionInfoJson, ExecutionInfoText);
    } else {
      ReadOptions options;
      options.threads = threads;
      options.part = input.part;
      options.execution_trace = input.execution_trace;
      Result<RankTrace> trace = ReadTraceFile(input.file, options);
      if (trace.ok()) trace->meta.path = input.name;
      Add(input, trace, AppendTraceInfoJson, TraceInfoText);
    }
  }

  TraceInfos Finish() && {
    if (is_json_) {
      writer_.EndArray().EndObject();
      text_ += '\n';
    }
    return {std::move(text_), has_read_ ? OkStatus() : first_error_};
  }

 private:
  template <typename T>
  void Add(const TraceInput& input, const Result<T>& read, void (*append)(const T&, std::string&),
           std::string (*text_of)(const T&)) {
    if (read.ok()) {
      has_read_ = true;
      if (is_json_) {
        append(*read, writer_.Line().Append());
      } else {
        text_ += text_of(*read);
      }
      return;
    }
    if (is_json_) {
      AppendErrorJson(input.name, read.status(), writer_.Line().Append());
    } else {
      text_ += fmt::format("{}\n\n", SafeForTerminal(read.status().message()));
    }
    if (first_error_.ok()) first_error_ = read.status();
  }

  const bool is_json_;
  std::string text_;
  json::Writer writer_{text_};
  bool has_read_ = false;
  Status first_error_;
};

}  // namespace

Result<TraceInfos> InfoOfTraces(const std::vector<std::string>& paths, InfoFormat format,
                                int threads, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(paths));
  for (const auto& [path, why] : found.unlisted) listener.OnNotice(why.message());
  Infos infos(format);
  for (const TraceInput& input : TracesIn(found.paths)) infos.AddTraceIn(input, threads);
  return std::move(infos).Finish();
}

}  // namespace rankscope::app
