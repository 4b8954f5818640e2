// The functions of rankscope.h about jobs.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "app/make_table.h"
#include "app/report_of.h"
#include "app/what_if.h"
#include "capi/border.h"
#include "capi/job.h"
#include "capi/table.h"
#include "json/writer.h"
#include "report/documents/json_report.h"
#include "report/documents/markdown_report.h"
#include "report/html/html_report.h"
#include "report/text/text_report.h"

namespace rankscope::capi {
namespace {

// What a call asks of a job that it has to itself.
using JobWork = std::function<Status(app::OpenedJob& job, CallListener& listener)>;

rankscope_status Ask(rankscope_job* job, const rankscope_call* given, const JobWork& work) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(job, "job"));
    RS_ASSIGN_OR_RETURN(const rankscope_call call, CallOf(given));
    CallListener listener(call);
    RS_ASSIGN_OR_RETURN(const auto held, JobCall::Begin({job}, listener));
    return work(*job->opened, listener);
  });
}

struct ReportFormat {
  std::string_view name;
  app::ReportUse use;
  std::string (*write)(const Report& report);
};

constexpr ReportFormat kReportFormats[] = {
    {"json", app::ReportUse::kText, WriteJsonReport},
    {"text", app::ReportUse::kText, [](const Report& report) { return WriteTextReport(report); }},
    {"full", app::ReportUse::kText,
     [](const Report& report) { return WriteTextReport(report, {.full = true}); }},
    {"markdown", app::ReportUse::kText, WriteMarkdownReport},
    {"html", app::ReportUse::kPage, WriteHtmlReport},
    {"view", app::ReportUse::kPage, WriteHtmlView},
};

Result<const ReportFormat*> ReportFormatOf(std::string_view name) {
  for (const ReportFormat& format : kReportFormats) {
    if (format.name == name) return &format;
  }
  return Error(StatusCode::kInvalidArgument,
               "there is no report format '{}': json, text, full, markdown, html or view", name);
}

std::string InfoOf(const app::OpenedJob& job) {
  const app::OpenedJob::Ranks ranks = job.ranks();
  std::string out;
  json::Writer writer(out);
  writer.BeginObject()
      .ExactMember("recordings", static_cast<std::int64_t>(job.recordings()))
      .ExactMember("ranks", std::vector<std::int64_t>(ranks.numbers.begin(), ranks.numbers.end()))
      .Member("ranks_are_stated", ranks.are_stated)
      .EndObject();
  return out;
}

}  // namespace
}  // namespace rankscope::capi

using namespace rankscope;
using namespace rankscope::capi;

rankscope_status rankscope_open(const char* const* paths, size_t path_count,
                                const rankscope_option* options, size_t option_count,
                                const rankscope_call* call, rankscope_job** job) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(job, "job"));
    RS_ASSIGN_OR_RETURN(const auto path_texts, TextsOf(paths, path_count, "paths"));
    if (path_texts.empty())
      return Error(StatusCode::kInvalidArgument, "no path was given: a job is files or folders");
    RS_ASSIGN_OR_RETURN(const app::Settings settings, SettingsOf(options, option_count));
    RS_ASSIGN_OR_RETURN(const app::JobSpec spec, JobSpecOf(path_texts, settings));
    RS_ASSIGN_OR_RETURN(const rankscope_call copied, CallOf(call));
    CallListener listener(copied);
    RS_ASSIGN_OR_RETURN(auto opened, app::OpenJob(spec, {}, listener));
    opened->TellLeftOut(listener);
    *job = new rankscope_job(std::move(opened));
    return OkStatus();
  });
}

void rankscope_close(rankscope_job* job) { delete job; }

rankscope_status rankscope_job_table(rankscope_job* job, const char* name,
                                     const rankscope_option* options, size_t option_count,
                                     const rankscope_call* call, rankscope_table** table) {
  return Ask(job, call, [&](app::OpenedJob& opened, CallListener& listener) -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(name, "name"));
    RS_RETURN_IF_ERROR(CheckGiven(table, "table"));
    app::TableRequest request{.table = name};
    RS_ASSIGN_OR_RETURN(request.settings, SettingsOf(options, option_count));
    RS_ASSIGN_OR_RETURN(Table made, app::MakeTable(request, opened, listener));
    return GiveTable(std::move(made), table);
  });
}

rankscope_status rankscope_job_query(rankscope_job* job, const char* statements,
                                     const rankscope_option* options, size_t option_count,
                                     const rankscope_call* call, rankscope_table** table) {
  return Ask(job, call, [&](app::OpenedJob& opened, CallListener& listener) -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(statements, "statements"));
    RS_RETURN_IF_ERROR(CheckGiven(table, "table"));
    RS_ASSIGN_OR_RETURN(const app::Settings settings, SettingsOf(options, option_count));
    RS_ASSIGN_OR_RETURN(const QueryOptions of_query, QueryOptionsOf(settings));
    RS_ASSIGN_OR_RETURN(app::SqlSession* const session, SessionOf(*job, of_query));
    RS_ASSIGN_OR_RETURN(Table made, session->Run(statements));
    opened.TellLeftOut(listener);
    return GiveTable(std::move(made), table);
  });
}

rankscope_status rankscope_job_what_if(rankscope_job* job, const char* const* changes,
                                       size_t change_count, const rankscope_call* call,
                                       rankscope_table** table) {
  return Ask(job, call, [&](app::OpenedJob& opened, CallListener& listener) -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(table, "table"));
    RS_ASSIGN_OR_RETURN(const auto texts, TextsOf(changes, change_count, "changes"));
    if (texts.empty())
      return Error(StatusCode::kInvalidArgument,
                   "no change was given; rankscope whatif --list has all");
    RS_ASSIGN_OR_RETURN(Table made, app::WhatIfOf(opened, texts, listener));
    return GiveTable(std::move(made), table);
  });
}

rankscope_status rankscope_job_report(rankscope_job* job, const char* format,
                                      const rankscope_call* call, char** text, size_t* size) {
  return Ask(job, call, [&](app::OpenedJob& opened, CallListener& listener) -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(format, "format"));
    RS_RETURN_IF_ERROR(CheckGiven(text, "text"));
    RS_ASSIGN_OR_RETURN(const ReportFormat* const chosen, ReportFormatOf(format));
    RS_ASSIGN_OR_RETURN(const Report report, app::ReportOf(opened, chosen->use, listener));
    return GiveText(chosen->write(report), text, size);
  });
}

rankscope_status rankscope_job_findings(rankscope_job* job, const rankscope_call* call, char** text,
                                        size_t* size) {
  return Ask(job, call, [&](app::OpenedJob& opened, CallListener& listener) -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(text, "text"));
    RS_ASSIGN_OR_RETURN(const Report report,
                        app::ReportOf(opened, app::ReportUse::kText, listener));
    return GiveText(WriteJsonFindings(report), text, size);
  });
}

rankscope_status rankscope_job_info(rankscope_job* job, char** text, size_t* size) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(job, "job"));
    RS_RETURN_IF_ERROR(CheckGiven(text, "text"));
    return GiveText(InfoOf(*job->opened), text, size);
  });
}
