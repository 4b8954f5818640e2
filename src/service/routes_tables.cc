// What a report says: itself, the data of its page, its tables.
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/file.h"
#include "json/writer.h"
#include "service/commands.h"
#include "service/page.h"
#include "service/reply.h"
#include "service/report_parts.h"
#include "service/routes.h"
#include "service/runs.h"
#include "sql/parquet.h"
#include "sql/select_parquet.h"
#include "table/write_csv.h"
#include "table/write_json.h"

namespace rankscope::service {
namespace {

using store::Run;
using store::RunReport;

constexpr std::string_view kParquet = ".parquet";

// A part of the report as it is stored.
http::Reply Part(const Parts& parts, const Call& call, std::string_view name) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const Result<const RunReport*> report = ReportOf(run, call);
  if (!report.ok()) return ErrorReply(report.status());
  const store::RunTable* part = FindPart(**report, name);
  if (part == nullptr)
    return ErrorReply(404, "not_found", fmt::format("the report has no {}", name));
  const Result<std::string> path = parts.store.blobs().VerifiedPathOf(part->sha256);
  if (!path.ok()) return DamagedReply(path.status());
  return ContentReply(call.head, *path, part->bytes, part->sha256, "application/json");
}

http::Reply Report(const Parts& parts, const Call& call) {
  return Part(parts, call, "report.json");
}
http::Reply View(const Parts& parts, const Call& call) { return Part(parts, call, "view.json"); }

// The report as one page. It runs in an origin of its own, where it reaches nothing of this server;
// what of it may run says its own policy.
http::Reply Page(const Parts& parts, Commands& commands, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const Result<const RunReport*> report = ReportOf(run, call);
  if (!report.ok()) return ErrorReply(report.status());
  CommandLine line;
  line.words = {"analyze", RunWord(), "--format", "html", "-o", OutWord()};
  line.runs = {run};
  line.file_name = "report.html";
  line.type = "text/html; charset=utf-8";
  line.fields = {{"Content-Security-Policy",
                  "sandbox allow-scripts allow-downloads; default-src 'none'; script-src "
                  "'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'none'"}};
  return commands.Run(std::move(line));
}

http::Reply List(const Parts& parts, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const Result<const RunReport*> report = ReportOf(run, call);
  if (!report.ok()) return ErrorReply(report.status());
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("version", (*report)->version).Key("tables").BeginArray();
  for (const store::RunTable& table : (*report)->tables) {
    if (!table.name.ends_with(kParquet)) continue;
    const std::string_view file = table.name;
    writer.BeginObject().Member("name", file.substr(0, file.size() - kParquet.size()));
    writer.Member("bytes", table.bytes).EndObject();
  }
  writer.EndArray().EndObject();
  return JsonReply(200, std::move(json));
}

std::vector<std::string> Names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

Result<sql::ParquetSelection> SelectionOf(const Call& call) {
  sql::ParquetSelection selection;
  for (const auto& [name, value] : call.head.query) {
    if (name != "filter") continue;
    RS_ASSIGN_OR_RETURN(sql::Condition condition, sql::ParseCondition(value));
    selection.conditions.push_back(std::move(condition));
  }
  selection.columns = Names(call.Query("columns"));
  for (std::string& key : Names(call.Query("sort"))) {
    const bool descending = key.starts_with('-');
    selection.sort.push_back({descending ? key.substr(1) : key, descending});
  }
  RS_ASSIGN_OR_RETURN(selection.limit, LimitOf(call.Query("limit"), 1000, 100'000));
  if (const std::string_view cursor = call.Query("cursor"); !cursor.empty()) {
    RS_ASSIGN_OR_RETURN(const std::string place, FromCursor(cursor));
    const auto offset = ParseInteger(place);
    if (!offset || *offset < 0) {
      return Error(StatusCode::kInvalidArgument,
                   "'{}' is no cursor: take the one that the last page gave", cursor);
    }
    selection.offset = static_cast<std::uint64_t>(*offset);
  }
  return selection;
}

// A table, as it is, in the form that is asked for. JSON says what comes after it.
http::Reply TableReply(const Parts& parts, const sql::SelectedRows& selected,
                       const sql::ParquetSelection& selection, std::string_view format) {
  const std::uint64_t next = selection.offset + selected.table.row_count();
  const std::string cursor = next < selected.row_count && selected.table.row_count() > 0
                                 ? ToCursor(std::to_string(next))
                                 : "";
  http::Reply reply;
  std::string text;
  std::string_view type = "application/json";
  if (format.empty() || format == "json") {
    json::Writer writer(text);
    writer.BeginObject();
    WriteTableMembers(writer, selected.table);
    writer.Member("row_count", selected.row_count).TextMember("cursor", cursor).EndObject();
  } else if (format == "jsonl") {
    type = "application/x-ndjson";
    AppendJsonLines(text, selected.table);
  } else if (format == "csv") {
    type = "text/csv; charset=utf-8; header=present";
    AppendCsvHeader(text, selected.table);
    AppendCsvRows(text, selected.table);
  } else {
    static std::atomic<std::uint64_t> next_file = 0;
    const std::string path =
        fmt::format("{}/answer-{}.parquet", parts.store.temporary_folder(), next_file++);
    const Status written = sql::WriteParquet(selected.table, path);
    if (!written.ok()) return ErrorReply(written);
    auto content = ReadFile(path);
    unlink(path.c_str());
    if (!content.ok()) return ErrorReply(content.status());
    type = "application/vnd.apache.parquet";
    text = *std::move(content);
  }
  reply.fields = {{"Content-Type", std::string(type)}, {"Cache-Control", "private, no-cache"}};
  if (!cursor.empty()) reply.fields.emplace_back("X-Next-Cursor", cursor);
  reply.body = std::move(text);
  return reply;
}

http::Reply Get(const Parts& parts, sql::ParquetReader& tables, Commands& commands,
                const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  constexpr std::string_view kFormats[] = {"", "json", "jsonl", "csv", "parquet"};
  const std::string_view format = call.Query("format");
  if (std::ranges::find(kFormats, format) == std::end(kFormats))
    return ErrorReply(400, "bad_request", "format is json, jsonl, csv or parquet");
  const Result<sql::ParquetSelection> selection = SelectionOf(call);
  if (!selection.ok()) return ErrorReply(selection.status());
  const Result<const RunReport*> report = ReportOf(run, call);
  if (!report.ok()) return ErrorReply(report.status());
  const std::string& name = call.arguments[1];
  // To the command it might be an option, even behind --.
  if (name.starts_with('-'))
    return ErrorReply(404, "not_found", fmt::format("there is no table '{}'", name));
  std::vector<std::string> settings;
  for (const auto& [parameter, value] : call.head.query) {
    if (parameter == "set") settings.push_back("--set=" + value);
  }
  const store::RunTable* stored =
      settings.empty() ? FindPart(**report, name + std::string(kParquet)) : nullptr;
  const auto select = [&parts, &tables, name, selection = *selection,
                       format = std::string(format)](const std::string& path) {
    const auto selected = tables.Select(path, name, selection);
    if (!selected.ok()) return ErrorReply(selected.status());
    return TableReply(parts, *selected, selection, format);
  };
  if (stored != nullptr) {
    const Result<std::string> path = parts.store.blobs().VerifiedPathOf(stored->sha256);
    if (!path.ok()) return DamagedReply(path.status());
    return select(*path);
  }
  // What the report does not have is computed now.
  CommandLine line;
  line.words = {"table", "--format", "parquet", "-o", OutWord()};
  line.words.insert(line.words.end(), settings.begin(), settings.end());
  line.words.insert(line.words.end(), {"--", name, RunWord()});
  line.runs = {run};
  line.file_name = "table.parquet";
  line.finish = select;
  return commands.Run(std::move(line));
}

}  // namespace

std::vector<Route> TableRoutes(Parts& parts, sql::ParquetReader& tables, Commands& commands,
                               const std::string& definitions) {
  return {
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/report",
       .answer = With(Report, parts),
       .summary = "what analyze --format json prints",
       .parameters = {kVersionParameter}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/view",
       .answer = With(View, parts),
       .summary = "the data that pages draw",
       .parameters = {kVersionParameter}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/page",
       .answer = With(Page, parts, commands),
       .summary = "the report as one page, as analyze --format html writes it"},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/tables",
       .answer = With(List, parts),
       .summary = "the tables of the report",
       .parameters = {kVersionParameter}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/tables/{name}",
       .answer = With(Get, parts, tables, commands),
       .summary = "rows of a table, of the report or computed now",
       .parameters = {kVersionParameter,
                      {"filter", "query", "string",
                       "COLUMN, = != < <= > >= or ~ (contains), and a value; nothing is unknown",
                       true},
                      {"sort", "query", "string",
                       "columns with commas between; - before one: downwards"},
                      {"columns", "query", "string", "columns with commas between; all without"},
                      {"limit", "query", "integer", "up to 100000; 1000 without"},
                      {"cursor", "query", "string", "of the page before"},
                      {"format", "query", "string", "json, jsonl, csv or parquet"},
                      {"set", "query", "string", "OPTION=VALUE of the analysis", true}}},
      {.method = "GET",
       .pattern = "/api/v1/tables",
       .answer = [definitions](const Call&) { return JsonReply(200, definitions); },
       .summary = "every table: what it is, its columns, units and options"},
  };
}

}  // namespace rankscope::service
