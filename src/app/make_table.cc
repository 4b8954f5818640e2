#include "app/make_table.h"

#include <utility>

#include "analysis/captures/analyses.h"
#include "app/compare_jobs.h"
#include "app/read_memory.h"
#include "app/requests.h"
#include "compare/tables.h"
#include "fleet/tables.h"
#include "hang/tables.h"
#include "memory/tables.h"
#include "post_training/tables.h"
#include "replay/operations.h"
#include "schemas/straggler.h"
#include "serving/tables.h"
#include "sql/read_file.h"

namespace rankscope::app {
namespace {

JobSpec OfPath(JobSpec spec, const std::string& path) {
  spec.paths = {path};
  spec.called = path;
  return spec;
}

Result<Table> TakeTable(DiffReport report, const std::string& name) {
  for (Table& table : report.tables) {
    if (table.name() == name) return std::move(table);
  }
  return Error(StatusCode::kInternal, "the comparison has no table {}", name);
}

Result<Table> OfComparison(const TableRequest& request, const JobSpec& spec, Listener& listener) {
  if (spec.paths.size() != 2)
    return Error(StatusCode::kInvalidArgument,
                 "{} compares two jobs: rankscope table {} BASE TEST, or rankscope diff BASE TEST",
                 request.table, request.table);
  const bool is_hta = IsHtaTable(request.table);
  if (!request.settings.empty() && !is_hta)
    return Error(StatusCode::kInvalidArgument, "{} has no options", request.table);
  const JobSpec base = OfPath(spec, spec.paths[0]);
  const JobSpec test = OfPath(spec, spec.paths[1]);
  RS_ASSIGN_OR_RETURN(DiffReport report, is_hta
                                             ? CompareAsHta(base, test, request.settings, listener)
                                             : CompareJobs(base, test, HtaTables::kNot, listener));
  return TakeTable(std::move(report), request.table);
}

Result<Table> OfMemory(const TableRequest& request, const JobSpec& spec, Listener& listener) {
  if (spec.paths.empty() || spec.paths.size() > 2 || !request.settings.empty())
    return Error(StatusCode::kInvalidArgument,
                 "{} is of one memory snapshot, or of two, and has no options: rankscope memory "
                 "SNAPSHOT --table {}",
                 request.table, request.table);
  return ReadMemoryTable({.paths = spec.paths}, request.table, listener);
}

bool IsOfOperations(const TableRequest& request, const JobSpec& spec) {
  return request.table == StragglerSlowdown::kName && spec.paths.size() == 1 &&
         sql::IsTableFile(spec.paths.front());
}

Result<Table> OfOperations(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const Table operations, sql::ReadFile(path, std::string(Operations::kName),
                                                            SchemaOf<Operations>().columns()));
  return ReplayStragglers(operations);
}

}  // namespace

Result<Table> MakeTable(const TableRequest& request, const JobSpec& spec, Listener& listener) {
  if (FindDiffTable(request.table) != nullptr) return OfComparison(request, spec, listener);
  if (memory::FindMemoryTable(request.table) != nullptr) return OfMemory(request, spec, listener);
  if (FindHangTable(request.table) != nullptr)
    return Error(StatusCode::kInvalidArgument,
                 "{} is made of Flight Recorder dumps: rankscope hang DUMPS --table {}",
                 request.table, request.table);
  if (FindEntry(serving::ServingTableList(), request.table) != nullptr)
    return Error(StatusCode::kInvalidArgument,
                 "{} is made of what a serving program recorded: rankscope serving PATH --table {}",
                 request.table, request.table);
  if (FindEntry(post_training::PostTrainingTableList(), request.table) != nullptr)
    return Error(
        StatusCode::kInvalidArgument,
        "{} is made of what a post-training run recorded: rankscope post-training PATH --table {}",
        request.table, request.table);
  if (FindEntry(fleet::FleetTableList(), request.table) != nullptr)
    return Error(StatusCode::kInvalidArgument,
                 "{} is made of the runs of a store: rankscope list {} has its command",
                 request.table, request.table);
  if (IsOfOperations(request, spec)) return OfOperations(spec.paths.front());
  RS_RETURN_IF_ERROR(CheckSettings(request));
  RS_ASSIGN_OR_RETURN(const Request resolved, RequestOf(request));
  JobSpec of_job = spec;
  // What tells about files tells about all of them.
  of_job.takes_many_runs |=
      resolved.analysis == &CapturesAnalysis() || resolved.analysis == &DataQualityAnalysis();
  RS_ASSIGN_OR_RETURN(const auto job, OpenJob(of_job, {request}, listener));
  return MakeTable(request, *job, listener);
}

Result<Table> MakeTable(const TableRequest& request, OpenedJob& job, Listener& listener) {
  RS_ASSIGN_OR_RETURN(Table table, job.Run(request));
  if (table.row_count() == 0) RS_RETURN_IF_ERROR(job.CheckChosenSteps());
  job.TellLeftOut(listener);
  return table;
}

}  // namespace rankscope::app
