// What to do about findings: patches of the run's code, the run's notebook.
#include "api/patch.h"
#include "service/processes/commands.h"
#include "service/requests/api.h"
#include "service/requests/reply.h"
#include "service/requests/run_json.h"
#include "service/routes/routes.h"
#include "service/runs/repositories.h"
#include "service/runs/runs.h"

namespace rankscope::service {
namespace {

using store::Run;

// What commands call the repository of a run.
constexpr std::string_view kCodeLink = "CODE";

// Adds how the command reads the run's code; false where it is not known.
bool AddSource(const Repositories& repositories, const Run& run, CommandLine& line) {
  if (HasSource(run)) {
    line.words.insert(line.words.end(), {"--source", RunWord(0, store::kSourceFile)});
    return true;
  }
  const std::string_view commit = CommitOf(run);
  const std::string_view folder = repositories.FolderOf(run);
  if (commit.empty() || folder.empty()) return false;
  line.words.insert(line.words.end(), {"--source", kCodeLink, "--commit", commit});
  line.links.emplace_back(kCodeLink, folder);
  return true;
}

http::Reply Patch(const Parts& parts, const Repositories& repositories, Commands& commands,
                  const Call& call) {
  const Result<Run> run = ReadyRun(parts, call.who, call.arguments[0]);
  if (!run.ok()) return ErrorReply(run.status());
  std::string_view format = call.Query("format");
  if (format.empty()) format = "json";
  if (format != "json" && format != "diff" && format != "sarif")
    return ErrorReply(400, "bad_request", "format is json, diff or sarif");
  CommandLine line;
  line.words = {"fix", RunWord(), "--format", format, "-o", OutWord()};
  for (const auto& [name, value] : call.head.query) {
    if (name == "finding") line.words.push_back("--finding=" + value);
  }
  if (!AddSource(repositories, *run, line)) {
    return ErrorReply(404, "no_source",
                      "the code of this run is not known: push it with --source FOLDER, or tag the "
                      "run with its commit where the server has the repository");
  }
  line.runs = {*run};
  line.file_name = "patch";
  if (format == "diff") line.type = "text/x-diff; charset=utf-8";
  // Code is what strangers wrote.
  line.writes_cache = false;
  return commands.Run(std::move(line));
}

http::Reply Notebook(const Parts& parts, Commands& commands, const Call& call) {
  const Result<Run> run = ReadyRun(parts, call.who, call.arguments[0]);
  if (!run.ok()) return ErrorReply(run.status());
  CommandLine line;
  line.words = {"analyze",
                RunWord(),
                "--format",
                "ipynb",
                "-o",
                OutWord(),
                fmt::format("--of-run={}/api/v1/runs/{}", AddressOf(call.head), run->id)};
  line.runs = {*run};
  line.file_name = "report.ipynb";
  line.type = "application/x-ipynb+json";
  line.fields = {
      {"Content-Disposition", fmt::format("attachment; filename=\"run-{}.ipynb\"", run->id)}};
  return commands.Run(std::move(line));
}

}  // namespace

std::vector<Route> ActRoutes(Parts& parts, const Repositories& repositories, Commands& commands) {
  return {
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/patch",
       .answer = With(Patch, parts, repositories, commands),
       .summary = "a patch of the run's code for what was found; as rankscope fix",
       .parameters = {{"finding", "query", "string", "for this finding alone", true},
                      {"format", "query", "string", "json (without), diff or sarif"}},
       .gives = &json::FieldsOf<api::Patch>()},
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/notebook",
       .answer = With(Notebook, parts, commands),
       .summary = "a Jupyter notebook that fetches the run's traces and has its findings",
       .sends = {"application/json"}},
  };
}

}  // namespace rankscope::service
