// What is computed when it is asked for: SQL, what-if, the difference of two runs.
#include <algorithm>

#include "api/request.h"
#include "service/processes/commands.h"
#include "service/requests/reply.h"
#include "service/requests/run_json.h"
#include "service/routes/routes.h"
#include "service/runs/runs.h"

namespace rankscope::service {
namespace {

using store::Run;

http::Reply Query(const Parts& parts, Commands& commands, const Call& call) {
  const Result<Run> run = ReadyRun(parts, call.who, call.arguments[0]);
  if (!run.ok()) return ErrorReply(run.status());
  const auto asked = BodyOf<api::SqlRequest>(call);
  if (!asked.ok()) return ErrorReply(asked.status());
  if (asked->sql.empty()) return ErrorReply(400, "bad_request", "'sql' is to be a SELECT");
  const std::string& file = asked->file;
  const bool is_there =
      file.empty() ||
      std::ranges::find(run->files, file, &store::RunFile::name) != run->files.end();
  if (!is_there)
    return ErrorReply(404, "not_found", fmt::format("run {} has no file '{}'", run->id, file));
  CommandLine line;
  line.words = {"query", "--select-only", "--memory", "1G", "--format", "json", "-o", OutWord()};
  line.words.insert(line.words.end(), {"--", RunWord(0, file), asked->sql});
  line.runs = {*run};
  line.file_name = "rows.json";
  line.writes_cache = false;
  return commands.Run(std::move(line));
}

http::Reply WhatIf(const Parts& parts, Commands& commands, const Call& call) {
  const Result<Run> run = ReadyRun(parts, call.who, call.arguments[0]);
  if (!run.ok()) return ErrorReply(run.status());
  const auto asked = BodyOf<api::WhatIfRequest>(call);
  if (!asked.ok()) return ErrorReply(asked.status());
  if (asked->changes.empty())
    return ErrorReply(400, "bad_request",
                      "'changes' is to be a list such as [\"idealise:rank=3\"]");
  CommandLine line;
  line.words = {"whatif", RunWord(), "--format", "json", "-o", OutWord()};
  for (const std::string& change : asked->changes) {
    // In one word: a change that begins with a dash is none of the command's options.
    line.words.push_back("--change=" + change);
  }
  line.runs = {*run};
  line.file_name = "whatif.json";
  return commands.Run(std::move(line));
}

http::Reply Diff(const Parts& parts, Commands& commands, const Call& call) {
  CommandLine line;
  for (const std::string_view side : {"base", "test"}) {
    const std::string_view id = call.Query(side);
    if (id.empty())
      return ErrorReply(400, "bad_request", fmt::format("say with {}= which run", side));
    const Result<Run> run = ReadyRun(parts, call.who, id);
    if (!run.ok()) return ErrorReply(run.status());
    line.runs.push_back(*run);
  }
  const bool is_view = call.Query("view") == "1";
  line.words = {"diff", RunWord(), RunWord(1), "--format", is_view ? "view" : "json",
                "-o",   OutWord()};
  line.file_name = "diff.json";
  return commands.Run(std::move(line));
}

http::Reply Memory(const Parts& parts, Commands& commands, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  CommandLine line;
  line.words = {"memory", "--format", call.Query("view") == "1" ? "view" : "json",
                "-o",     OutWord(),  "--"};
  for (const std::string_view which : {"file", "later"}) {
    const std::string_view name = call.Query(which);
    if (name.empty() && which == "later") continue;
    const bool is_there =
        IsMemorySnapshot(name) &&
        std::ranges::find(run.files, name, &store::RunFile::name) != run.files.end();
    if (!is_there)
      return ErrorReply(404, "not_found",
                        fmt::format("run {} has no memory snapshot '{}'", run.id, name));
    line.words.push_back(RunWord(0, name));
  }
  line.runs = {run};
  line.file_name = "memory.json";
  line.writes_cache = false;
  return commands.Run(std::move(line));
}

}  // namespace

std::vector<Route> WorkRoutes(Parts& parts, Commands& commands) {
  return {
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/query",
       .answer = With(Query, parts, commands),
       .summary =
           "one SELECT or EXPLAIN over the run's events and tables, or over one of its files; as "
           "rankscope query",
       .takes = &json::FieldsOf<api::SqlRequest>(),
       .sends = {"application/json"},
       .most_body = 256 << 10},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/whatif",
       .answer = With(WhatIf, parts, commands),
       .summary = "how long a step would take with changes; as rankscope whatif",
       .takes = &json::FieldsOf<api::WhatIfRequest>(),
       .sends = {"application/json"},
       .most_body = 64 << 10},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/memory",
       .answer = With(Memory, parts, commands),
       .summary = "who holds the memory, by a snapshot among the run's files; as rankscope memory",
       .parameters = {{"file", "query", "string", "a snapshot, NAME.pickle or .pickle.gz"},
                      {"later", "query", "string", "a later one of the same process: what grew"},
                      {"view", "query", "string", "1: the data that pages draw"}},
       .sends = {"application/json"}},
      {.method = "GET",
       .pattern = "/api/v1/diff",
       .answer = With(Diff, parts, commands),
       .summary = "what changed between two runs; as rankscope diff",
       .parameters = {{"base", "query", "string", "the id of a run"},
                      {"test", "query", "string", "the id of another"},
                      {"view", "query", "string", "1: the data that pages draw"}},
       .sends = {"application/json"}},
  };
}

}  // namespace rankscope::service
