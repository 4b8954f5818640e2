#include "cli/job/sql_shell.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/job/line_editor.h"
#include "cli/job/statements.h"
#include "table/human_number.h"
#include "table/style.h"
#include "table/write_csv.h"
#include "table/write_json.h"
#include "table/write_text.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kHelp =
    "  .tables [WORD]        tables and views, those whose name or meaning has the word\n"
    "  .schema NAME          columns of a table or view\n"
    "  .format FORMAT        text, csv, json or jsonl\n"
    "  .rows N               rows that text shows of a result; 0 is all\n"
    "  .timing on|off        how long statements take\n"
    "  .help                 this\n"
    "  .quit                 leave; so does Ctrl-D\n"
    "Everything else is SQL up to a semicolon, such as\n"
    "  SELECT name, sum(dur_ns) FROM kernels GROUP BY name ORDER BY 2 DESC LIMIT 5;\n";

std::string HistoryFile() {
  const auto environment = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  constexpr const char* kName = "/rankscope/query_history";
  if (const std::string state = environment("XDG_STATE_HOME"); state.starts_with('/'))
    return state + kName;
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/.local/state" + kName : "";
}

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t;"), line.size());
    if (end > 0) words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

Value AsText(const Table& table, std::size_t row, std::size_t column, std::string& text) {
  if (table.IsNull(row, column)) return kNull;
  const bool is_integer = table.columns()[column].type == ColumnType::kInt64;
  text = is_integer ? std::to_string(table.Int(row, column))
                    : fmt::format("{}", table.Double(row, column));
  return std::string_view(text);
}

// Adds the first `count` rows. A column of numbers may have become one of text since the last.
void AddRows(const Table& rows, std::size_t count, Table& to) {
  if (to.columns() != rows.columns()) {
    Table changed(rows.name(), rows.columns());
    std::vector<std::string> texts(to.column_count());
    std::vector<Value> cells(to.column_count());
    for (std::size_t row = 0; row < to.row_count(); ++row) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i] =
            to.columns()[i] == rows.columns()[i] ? to.At(row, i) : AsText(to, row, i, texts[i]);
      }
      changed.AddRow(cells);
    }
    to = std::move(changed);
  }
  std::vector<Value> cells(rows.column_count());
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = rows.At(row, i);
    to.AddRow(cells);
  }
}

class Shell {
 public:
  Shell(app::SqlSession& session, const InterruptFlag& interrupted)
      : session_(session), interrupted_(interrupted) {}

  void Run() {
    LineEditor editor({HistoryFile(), [this](std::string_view begin) { return Names(begin); },
                       [this] { return interrupted_.IsSet(); }});
    std::string typed;
    for (std::string line; is_open_;) {
      switch (editor.Read(typed.empty() ? "rankscope> " : "      ...> ", line)) {
        case LineEditor::Outcome::kEnd:
          Print("\n");
          return;
        case LineEditor::Outcome::kInterrupted:
          interrupted_.Clear();
          typed.clear();
          continue;
        case LineEditor::Outcome::kLine:
          break;
      }
      if (typed.empty() && line.starts_with('.')) {
        editor.Remember(line);
        Command(line);
        continue;
      }
      typed += line + "\n";
      Statements statements = SplitStatements(typed);
      for (const std::string& statement : statements.complete) {
        editor.Remember(OnOneLine(statement));
        Execute(statement);
      }
      typed =
          statements.rest.find_first_not_of(" \t\n") == std::string::npos ? "" : statements.rest;
    }
  }

 private:
  enum class Format { kText, kCsv, kJson, kJsonLines };

  static void Print(std::string_view text) {
    if (Status status = WriteOutput("", text); !status.ok()) Tell(status.message());
  }

  static std::string OnOneLine(std::string statement) {
    std::replace(statement.begin(), statement.end(), '\n', ' ');
    const std::size_t begin = statement.find_first_not_of(' ');
    return begin == std::string::npos ? statement : statement.substr(begin);
  }

  void Execute(const std::string& sql) {
    const auto begin = std::chrono::steady_clock::now();
    Status status = format_ == Format::kText ? ShowText(sql) : Show(sql);
    if (!status.ok()) Tell(status.message());
    interrupted_.Clear();
    if (!is_timed_) return;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    Print(fmt::format("took {}\n", HumanDuration(took.count())));
  }

  // The first rows, and how many there are.
  Status ShowText(const std::string& sql) {
    Table shown;
    std::size_t count = 0;
    RS_RETURN_IF_ERROR(session_.Stream(sql, [&](const Table& rows) {
      count += rows.row_count();
      const std::size_t room = most_rows_ == 0 ? SIZE_MAX : most_rows_ - shown.row_count();
      AddRows(rows, std::min(room, rows.row_count()), shown);
      return OkStatus();
    }));
    if (shown.column_count() == 0) return OkStatus();
    std::string text = WriteText(shown, {.max_width = TerminalWidth(), .colour = TakesColour()});
    if (const std::size_t more = count - shown.row_count(); more > 0) {
      text += fmt::format("... {} more row{} (.rows 0 shows all)\n",
                          GroupedInteger(static_cast<std::int64_t>(more)), more == 1 ? "" : "s");
    }
    return WriteOutput("", text);
  }

  Status Show(const std::string& sql) {
    if (format_ == Format::kJson) {
      RS_ASSIGN_OR_RETURN(const Table table, session_.Run(sql));
      return table.column_count() == 0 ? OkStatus() : WriteOutput("", WriteJson(table) + "\n");
    }
    bool has_header = false;
    return session_.Stream(sql, [&](const Table& rows) {
      std::string text;
      if (rows.column_count() == 0) return OkStatus();
      if (format_ == Format::kJsonLines) {
        AppendJsonLines(text, rows);
      } else {
        if (!has_header) AppendCsvHeader(text, rows);
        AppendCsvRows(text, rows);
      }
      has_header = true;
      return WriteOutput("", text);
    });
  }

  void Command(const std::string& line) {
    const std::vector<std::string> words = Words(line);
    const std::string& name = words[0];
    const std::string argument = words.size() > 1 ? words[1] : "";
    if (name == ".quit" || name == ".exit") {
      is_open_ = false;
    } else if (name == ".help") {
      Print(kHelp);
    } else if (name == ".tables") {
      Report(ShowText(TablesLike(argument)));
    } else if (name == ".schema" && !argument.empty()) {
      Report(ShowSchema(argument));
    } else if (name == ".timing" && (argument == "on" || argument == "off")) {
      is_timed_ = argument == "on";
    } else if (name == ".rows" && !argument.empty() &&
               argument.find_first_not_of("0123456789") == std::string::npos) {
      most_rows_ = std::strtoull(argument.c_str(), nullptr, 10);
    } else if (name == ".format" && SetFormat(argument)) {
      return;
    } else {
      Tell(fmt::format("'{}' is no command; .help shows all", line));
    }
  }

  static void Report(const Status& status) {
    if (!status.ok()) Tell(status.message());
  }

  bool SetFormat(std::string_view name) {
    constexpr std::pair<std::string_view, Format> kFormats[] = {{"text", Format::kText},
                                                                {"csv", Format::kCsv},
                                                                {"json", Format::kJson},
                                                                {"jsonl", Format::kJsonLines}};
    for (const auto& [known, format] : kFormats) {
      if (known != name) continue;
      format_ = format;
      return true;
    }
    return false;
  }

  static std::string TablesLike(const std::string& word) {
    return fmt::format(
        "SELECT name, comment AS meaning FROM (SELECT view_name AS name, comment FROM "
        "duckdb_views() WHERE NOT internal UNION ALL SELECT table_name, comment FROM "
        "duckdb_tables()) WHERE contains(lower(concat(name, ' ', comment)), lower({})) ORDER BY "
        "starts_with(name, 'hta.'), name",
        Quoted(word));
  }

  Status ShowSchema(const std::string& name) {
    RS_ASSIGN_OR_RETURN(
        const Table columns,
        session_.Run(fmt::format("SELECT column_name AS name, data_type AS type, comment AS "
                                 "meaning FROM duckdb_columns() WHERE lower(table_name) = "
                                 "lower({}) ORDER BY schema_name, column_index",
                                 Quoted(name))));
    if (columns.row_count() == 0)
      return Error(StatusCode::kNotFound, "there is no table or view '{}'; .tables shows all",
                   name);
    return WriteOutput(
        "", WriteText(columns, {.max_width = 0, .max_text_width = 0, .colour = TakesColour()}));
  }

  // Of commands, tables and columns.
  std::vector<std::string> Names(std::string_view begin) {
    if (names_.empty()) {
      for (const char* command :
           {".tables", ".schema", ".format", ".rows", ".timing", ".help", ".quit"})
        names_.insert(command);
      const auto found = session_.Run(
          "SELECT view_name FROM duckdb_views() WHERE NOT internal UNION SELECT column_name FROM "
          "duckdb_columns() WHERE NOT internal");
      for (std::size_t row = 0; found.ok() && row < found->row_count(); ++row)
        names_.emplace(found->String(row, 0));
    }
    std::vector<std::string> fitting;
    for (auto name = names_.lower_bound(begin); name != names_.end() && name->starts_with(begin);
         ++name)
      fitting.push_back(*name);
    return fitting;
  }

  app::SqlSession& session_;
  const InterruptFlag& interrupted_;
  std::set<std::string, std::less<>> names_;
  Format format_ = Format::kText;
  std::size_t most_rows_ = 40;
  bool is_timed_ = false;
  bool is_open_ = true;
};

}  // namespace

Status RunSqlShell(app::OpenedJob& job, const app::SqlOptions& options,
                   const InterruptFlag& interrupted) {
  RS_ASSIGN_OR_RETURN(const auto session, app::SqlSession::Open(job, options));
  RS_RETURN_IF_ERROR(WriteOutput(
      "", fmt::format("SQL over {} recordings. .tables lists what there is, .help the rest; "
                      "Ctrl-D leaves.\n",
                      session->recordings())));
  Shell(*session, interrupted).Run();
  return OkStatus();
}

}  // namespace rankscope::cli
