// What a report says: itself, the data of its page, its tables.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

#include "api/run.h"
#include "api/table_definition.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/processes/commands.h"
#include "service/queue/report_words.h"
#include "service/requests/answer_text.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"
#include "service/runs/report_parts.h"
#include "service/runs/runs.h"
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

http::Reply ReportOfRun(const Parts& parts, const Call& call) {
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
  line.words = ReportWords<CommandWord>(run, RunWord(), "html", OutWord());
  line.runs = {run};
  line.file_name = "report.html";
  line.type = "text/html; charset=utf-8";
  line.fields = {{"Content-Security-Policy",
                  "sandbox allow-scripts allow-downloads; default-src 'none'; script-src "
                  "'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'none'"}};
  return commands.Run(std::move(line));
}

http::Reply ListTables(const Parts& parts, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const Result<const RunReport*> report = ReportOf(run, call);
  if (!report.ok()) return ErrorReply(report.status());
  api::ReportTableList list{.version = (*report)->version, .tables = {}};
  for (const store::RunTable& table : (*report)->tables) {
    if (!table.name.ends_with(kParquet)) continue;
    list.tables.push_back(
        {.name = table.name.substr(0, table.name.size() - kParquet.size()), .bytes = table.bytes});
  }
  return JsonReply(200, json::ToJson(list));
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
    RS_ASSIGN_OR_RETURN(Condition condition, ParseCondition(value));
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

// What one answer has of a table.
using Turn = std::unique_ptr<sql::ParquetReader::Turn>;

// As long as a question of SQL may take.
constexpr std::chrono::milliseconds kLongestTurn{60'000};

struct RoutesTablesAsked {
  std::string name;
  std::string format;  // "" is json
  sql::ParquetSelection selection;
};

// Of the page after this one; "" when this is the last.
std::string NextCursor(const RoutesTablesAsked& asked, std::uint64_t row_count) {
  const sql::ParquetSelection& page = asked.selection;
  if (page.limit == 0 || page.offset >= row_count || page.limit >= row_count - page.offset)
    return "";
  return ToCursor(std::to_string(page.offset + page.limit));
}

// The rows as text, chunk by chunk: memory does not follow their number. JSON says what comes after
// them.
Result<http::Reply> TextOf(sql::ParquetReader& tables, const std::string& path,
                           const RoutesTablesAsked& asked, const std::string& folder,
                           std::string& cursor, Turn turn) {
  AnswerText answer(folder);
  json::Writer writer(answer.text());
  const bool is_json = asked.format.empty() || asked.format == "json";
  bool is_first = true;
  std::uint64_t count = 0;
  RS_RETURN_IF_ERROR(tables.Stream(
      path, asked.name, asked.selection,
      [&](const Table& rows, std::uint64_t row_count) {
        count = row_count;
        if (is_json) {
          if (is_first) {
            writer.BeginObject();
            WriteTableColumns(writer, rows);
            writer.Key("rows").BeginArray();
          }
          WriteTableRows(writer, rows, 0, rows.row_count());
        } else if (asked.format == "jsonl") {
          AppendJsonLines(answer.text(), rows);
        } else {
          if (is_first) AppendCsvHeader(answer.text(), rows);
          AppendCsvRows(answer.text(), rows);
        }
        is_first = false;
        return answer.Flush();
      },
      std::move(turn)));
  cursor = NextCursor(asked, count);
  if (is_json)
    writer.EndArray().Member("row_count", count).TextMember("cursor", cursor).EndObject();
  return answer.Finish();
}

Result<http::Reply> ParquetOf(sql::ParquetReader& tables, const std::string& path,
                              const RoutesTablesAsked& asked, const std::string& folder,
                              std::string& cursor, Turn turn) {
  static std::atomic<std::uint64_t> next_file = 0;
  const std::string to = fmt::format("{}/answer-{}.parquet", folder, next_file++);
  const auto count = tables.Copy(path, asked.name, asked.selection, to, std::move(turn));
  if (!count.ok()) {
    unlink(to.c_str());
    return count.status();
  }
  cursor = NextCursor(asked, *count);
  return TakeFile(to);
}

// Rows of a table that is kept as Parquet, in the form that is asked for.
http::Reply TableReply(sql::ParquetReader& tables, const std::string& path,
                       const RoutesTablesAsked& asked, const std::string& folder, Turn turn) {
  std::string cursor;
  Result<http::Reply> reply = asked.format == "parquet"
                                  ? ParquetOf(tables, path, asked, folder, cursor, std::move(turn))
                                  : TextOf(tables, path, asked, folder, cursor, std::move(turn));
  if (!reply.ok()) return ErrorReply(reply.status());
  std::string_view type = "application/json";
  if (asked.format == "jsonl") type = "application/x-ndjson";
  if (asked.format == "csv") type = "text/csv; charset=utf-8; header=present";
  if (asked.format == "parquet") type = "application/vnd.apache.parquet";
  reply->fields = {{"Content-Type", std::string(type)}, {"Cache-Control", "private, no-cache"}};
  if (!cursor.empty()) reply->fields.emplace_back("X-Next-Cursor", cursor);
  return *std::move(reply);
}

// The same, and no thread of the server's waits while others read: whoever asks for lists and pages
// meanwhile is not behind them.
http::Reply TableReplyInTurn(sql::ParquetReader& tables, const std::string& path,
                             const RoutesTablesAsked& asked, const std::string& folder) {
  if (Turn now = tables.TryTurn()) return TableReply(tables, path, asked, folder, std::move(now));
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + kLongestTurn;
  const auto turn = std::make_shared<Turn>();
  const auto start = [&tables, turn, give_up] {
    *turn = tables.TryTurn();
    const bool goes_on = *turn == nullptr && Clock::now() < give_up;
    return goes_on ? http::Pending::kAskAgain : http::Pending::kDone;
  };
  const auto finish = [&tables, turn, path, asked, folder]() -> http::Reply {
    if (*turn != nullptr) return TableReply(tables, path, asked, folder, std::move(*turn));
    http::Reply busy = ErrorReply(429, "busy", "the server reads tables for others; ask later");
    busy.fields.emplace_back("Retry-After", "10");
    return busy;
  };
  http::Reply reply;
  reply.body =
      http::Pending{.start = start, .finish = finish, .cancel = [] {}, .time = kLongestTurn};
  return reply;
}

http::Reply GetTable(const Parts& parts, sql::ParquetReader& tables, Commands& commands,
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
  const auto select =
      [&parts, &tables,
       asked = RoutesTablesAsked{name, std::string(format), *selection}](const std::string& path) {
        return TableReplyInTurn(tables, path, asked, parts.store.temporary_folder());
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
       .answer = With(ReportOfRun, parts),
       .summary = "what analyze --format json prints",
       .parameters = {kVersionParameter},
       .sends = {"application/json"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/view",
       .answer = With(View, parts),
       .summary = "the data that pages draw",
       .parameters = {kVersionParameter},
       .sends = {"application/json"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/page",
       .answer = With(Page, parts, commands),
       .summary = "the report as one page, as analyze --format html writes it",
       .sends = {"text/html"}},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/tables",
       .answer = With(ListTables, parts),
       .summary = "the tables of the report",
       .parameters = {kVersionParameter},
       .gives = &json::FieldsOf<api::ReportTableList>()},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/tables/{name}",
       .answer = With(GetTable, parts, tables, commands),
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
                      {"set", "query", "string", "OPTION=VALUE of the analysis", true}},
       .sends = {"application/json", "application/x-ndjson", "text/csv",
                 "application/vnd.apache.parquet"}},
      {.method = "GET",
       .pattern = "/api/v1/tables",
       .answer = [definitions](const Call&) { return JsonReply(200, definitions); },
       .summary = "every table: what it is, its columns, units and options",
       .gives = &json::FieldsOf<api::TableDefinitionList>()},
  };
}

}  // namespace rankscope::service
