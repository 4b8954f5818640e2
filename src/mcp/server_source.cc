#include "mcp/server_source.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "json/reader.h"
#include "mcp/explain.h"
#include "mcp/fix_results.h"
#include "mcp/json_results.h"
#include "mcp/rows.h"
#include "report/documents/markdown_report.h"
#include "store/run.h"

namespace rankscope::mcp {
namespace {

Result<RowsResult> ParsedRows(std::string_view name, const Result<std::string>& json,
                              std::int64_t limit) {
  if (!json.ok()) return json.status();
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(*json));
  return RowsResultOf(name, reader.root(), limit);
}

// The server keeps no Markdown of a report.
std::string MarkdownOf(const FindingsResult& result) {
  std::string out = fmt::format("**{}**\n", EscapedMarkdown(result.headline));
  for (const RecordingVerdict& verdict : result.recording) {
    fmt::format_to(std::back_inserter(out), "\n> **Recording** ({}): {}\n", verdict.severity,
                   EscapedMarkdown(verdict.message));
  }
  for (const FoundCause& cause : result.findings) {
    fmt::format_to(std::back_inserter(out), "\n### {} ({})\n\n{}\n", cause.id, cause.severity,
                   EscapedMarkdown(cause.title));
    for (const std::string& place : cause.where.value_or(std::vector<std::string>()))
      fmt::format_to(std::back_inserter(out), "- {}\n", EscapedMarkdown(place));
    if (cause.recommendation)
      fmt::format_to(std::back_inserter(out), "\n{}\n", EscapedMarkdown(*cause.recommendation));
  }
  return out;
}

}  // namespace

ServerSource::ServerSource(client::Server server, std::string run)
    : server_(std::move(server)), run_(std::move(run)) {}

Result<std::string> ServerSource::Run(app::Listener& listener) {
  if (listener.IsStopped()) return Error(StatusCode::kCancelled, "stopped");
  if (run_.empty()) {
    RS_ASSIGN_OR_RETURN(const client::RunStatus newest, server_.NewestRun());
    run_ = newest.id;
    is_chosen_ = true;
  }
  if (is_chosen_)
    listener.OnNotice(fmt::format(
        "this is of run {}, the newest when the session began; --run names another", run_));
  return run_;
}

Result<FindingsResult> ServerSource::Findings(app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(const std::string run, Run(listener));
  RS_ASSIGN_OR_RETURN(const client::RunStatus status, server_.Run(run));
  RS_ASSIGN_OR_RETURN(const std::string report, server_.Report(run));
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(report));
  RS_ASSIGN_OR_RETURN(FindingsResult result, FindingsOf(reader.root()));
  result.headline = status.headline;
  return result;
}

Result<RowsResult> ServerSource::Rows(const TableArguments& arguments, app::Listener& listener) {
  RS_RETURN_IF_ERROR(TableOfName(arguments.name).status());
  RS_ASSIGN_OR_RETURN(const std::string run, Run(listener));
  return ParsedRows(arguments.name,
                    server_.Rows(run, {.table = arguments.name,
                                       .filter = arguments.filter,
                                       .sort = arguments.sort,
                                       .columns = arguments.columns,
                                       .limit = arguments.limit,
                                       .settings = arguments.set}),
                    arguments.limit);
}

Result<RowsResult> ServerSource::Query(const QueryArguments& arguments, app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(const std::string run, Run(listener));
  return ParsedRows("rows", server_.Query(run, arguments.sql), arguments.limit);
}

Result<RowsResult> ServerSource::WhatIf(const WhatIfArguments& arguments, app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(const std::string run, Run(listener));
  return ParsedRows("whatif", server_.WhatIf(run, arguments.changes), kMostRows);
}

Result<std::string> ServerSource::SideOf(const std::string& run, app::Listener& listener) {
  if (run.empty()) return Run(listener);
  if (!store::IsRunId(run))
    return Error(StatusCode::kInvalidArgument, "'{}' is no id of a run of the server", run);
  return run;
}

Result<DiffResult> ServerSource::Diff(const DiffArguments& arguments, app::Listener& listener) {
  if (!arguments.base_ranks.empty() || !arguments.test_ranks.empty())
    return Error(StatusCode::kInvalidArgument, "the server compares runs as a whole, and no ranks");
  if (arguments.base.empty() && arguments.test.empty())
    return Error(StatusCode::kInvalidArgument,
                 "say in base with which run this one is compared: its id");
  RS_ASSIGN_OR_RETURN(const std::string base, SideOf(arguments.base, listener));
  RS_ASSIGN_OR_RETURN(const std::string test, SideOf(arguments.test, listener));
  RS_ASSIGN_OR_RETURN(const std::string json, server_.Diff(base, test));
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(json));
  RS_ASSIGN_OR_RETURN(DiffResult result, DiffOf(reader.root()));
  result.base = base;
  result.test = test;
  if (arguments.table.empty()) return result;
  const json::Value table = reader.root()["tables"][arguments.table];
  if (table.IsAbsent())
    return Error(StatusCode::kInvalidArgument, "the comparison has no table '{}'; there are {}",
                 arguments.table, fmt::join(result.tables, ", "));
  RS_ASSIGN_OR_RETURN(result.rows, RowsResultOf(arguments.table, table, arguments.limit));
  return result;
}

Result<FixResult> ServerSource::Fix(const FixArguments& arguments, app::Listener& listener) {
  if (!arguments.source.empty())
    return Error(StatusCode::kInvalidArgument,
                 "a run of a server is patched in the code that came with it: leave source away, "
                 "or ask rankscope mcp PATH, over the traces, about a folder here");
  RS_ASSIGN_OR_RETURN(const std::string run, Run(listener));
  RS_ASSIGN_OR_RETURN(const std::string patch, server_.Patch(run, arguments.id));
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(patch));
  return FixResultOf(reader.root());
}

Result<std::string> ServerSource::Report(app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(const FindingsResult result, Findings(listener));
  return MarkdownOf(result);
}

}  // namespace rankscope::mcp
