// The functions of rankscope.h about two jobs.
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "app/compare_jobs.h"
#include "capi/border.h"
#include "capi/job.h"
#include "capi/table.h"
#include "report/diff/diff_report.h"

namespace rankscope::capi {
namespace {

struct DiffFormat {
  std::string_view name;
  app::HtaTables hta;
  std::string (*write)(const DiffReport& report);
};

constexpr DiffFormat kDiffFormats[] = {
    {"json", app::HtaTables::kToo, WriteDiffJson},
    {"text", app::HtaTables::kNot, [](const DiffReport& report) { return WriteDiffText(report); }},
    {"full", app::HtaTables::kNot,
     [](const DiffReport& report) { return WriteDiffText(report, {.full = true}); }},
    {"html", app::HtaTables::kNot, WriteDiffHtml},
    {"view", app::HtaTables::kNot, WriteDiffView},
};

Result<const DiffFormat*> DiffFormatOf(std::string_view name) {
  for (const DiffFormat& format : kDiffFormats) {
    if (format.name == name) return &format;
  }
  return Error(StatusCode::kInvalidArgument,
               "there is no format '{}' of a comparison: json, text, full, html or view", name);
}

struct Pair {
  rankscope_job* base;
  rankscope_job* test;
};

Result<DiffReport> Compare(const Pair& jobs, app::HtaTables hta, const rankscope_call* given) {
  RS_RETURN_IF_ERROR(CheckGiven(jobs.base, "base"));
  RS_RETURN_IF_ERROR(CheckGiven(jobs.test, "test"));
  RS_ASSIGN_OR_RETURN(const rankscope_call call, CallOf(given));
  CallListener listener(call);
  RS_ASSIGN_OR_RETURN(const auto held, JobCall::Begin({jobs.base, jobs.test}, listener));
  return app::CompareJobs(*jobs.base->opened, *jobs.test->opened, hta, listener);
}

}  // namespace
}  // namespace rankscope::capi

using namespace rankscope;
using namespace rankscope::capi;

rankscope_status rankscope_diff(rankscope_job* base, rankscope_job* test, const char* format,
                                const rankscope_call* call, char** text, size_t* size) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(format, "format"));
    RS_RETURN_IF_ERROR(CheckGiven(text, "text"));
    RS_ASSIGN_OR_RETURN(const DiffFormat* const chosen, DiffFormatOf(format));
    RS_ASSIGN_OR_RETURN(const DiffReport report,
                        rankscope::capi::Compare({base, test}, chosen->hta, call));
    return GiveText(chosen->write(report), text, size);
  });
}

rankscope_status rankscope_diff_table(rankscope_job* base, rankscope_job* test, const char* name,
                                      const rankscope_call* call, rankscope_table** table) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(name, "name"));
    RS_RETURN_IF_ERROR(CheckGiven(table, "table"));
    RS_RETURN_IF_ERROR(app::CheckDiffTable(name));
    const auto hta = app::IsHtaTable(name) ? app::HtaTables::kToo : app::HtaTables::kNot;
    RS_ASSIGN_OR_RETURN(DiffReport report, rankscope::capi::Compare({base, test}, hta, call));
    for (Table& made : report.tables) {
      if (made.name() == name) return GiveTable(std::move(made), table);
    }
    return Error(StatusCode::kInternal, "the comparison has no table {}", name);
  });
}
