#include "app/traces/convert.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "app/open_job.h"
#include "app/sql_session.h"
#include "base/file.h"
#include "tools/perfetto.h"
#include "tools/repack.h"
#include "tools/write_traces.h"

namespace rankscope::app {
namespace {

std::string Quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\'');
  return "'" + text + "'";
}

// The view `events` of the trace, with all its columns.
Status WriteParquet(const std::string& from, const std::string& to, int threads,
                    Listener& listener) {
  RS_RETURN_IF_ERROR(tools::CheckOutput(to, {{.path = from}}));
  JobSpec spec{.paths = {from},
               .captures = {.which = CaptureChoice::Which::kAll},
               .takes_many_runs = true,
               .cache = {.enabled = false},
               .threads = threads};
  RS_ASSIGN_OR_RETURN(const auto job, OpenJob(spec, {}, listener));
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(to));
  RS_ASSIGN_OR_RETURN(const auto session,
                      SqlSession::Open(*job, {.allow_files = true, .is_stopped = [&listener] {
                                                return listener.IsStopped();
                                              }}));
  RS_RETURN_IF_ERROR(
      session
          ->Run(fmt::format("COPY (FROM events) TO {} (FORMAT parquet, COMPRESSION zstd)",
                            Quoted(file->temporary_path())))
          .status());
  return file->Commit();
}

Status WritePerfetto(const std::string& from, const std::string& to, int threads,
                     Listener& listener) {
  RS_ASSIGN_OR_RETURN(const tools::PerfettoReport report, tools::WritePerfetto(from, to, threads));
  for (const std::string& loss : report.losses) listener.OnNotice(loss);
  return OkStatus();
}

Status Repack(const std::string& from, const std::string& to, int threads, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const tools::Repacked repacked, tools::Repack(from, to, threads));
  if (!repacked.loss.empty()) listener.OnNotice(repacked.loss);
  return OkStatus();
}

bool IsPerfettoName(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".pftrace") || name.ends_with(".perfetto-trace");
}

}  // namespace

Status ConvertTrace(const std::string& from, const std::string& to, int threads,
                    Listener& listener) {
  if (to.ends_with(".parquet")) return WriteParquet(from, to, threads, listener);
  if (IsPerfettoName(to)) return WritePerfetto(from, to, threads, listener);
  return Repack(from, to, threads, listener);
}

}  // namespace rankscope::app
