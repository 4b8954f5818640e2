#include "cli/store.h"

#include <ctime>
#include <filesystem>

#include "base/number_set.h"
#include "cli/durations.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/table_output.h"
#include "schemas/store.h"
#include "table/human_number.h"
#include "table/text_or_null.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string data;
  std::vector<std::string> runs;
  TableOutput table;
  std::string folder;
  bool contents = false;
  bool repair = false;
  std::string older_than;
  std::string most;
};

std::string TagsText(const store::Run& run) {
  std::string text;
  for (const auto& [name, value] : run.tags) {
    if (!text.empty()) text += ", ";
    text += value.empty() ? name : name + "=" + value;
  }
  return text;
}

Status List(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const auto store, store::Store::Open(arguments.data, {.read_only = true}));
  const auto& columns = SchemaOf<StoredRuns>();
  auto table = columns.NewTable(std::string(StoredRuns::kName));
  for (const store::Run& run : store->catalogue().All()) {
    std::uint64_t bytes = 0;
    for (const store::RunFile& file : run.files) bytes += file.bytes;
    const std::string tags = TagsText(run);
    const std::string created = UtcText(run.created_s);
    table.Add({columns.id = run.id, columns.name = run.name,
               columns.state = store::ToString(run.state), columns.created = created,
               columns.world_size = run.world_size >= 0 ? Value(run.world_size) : Value(kNull),
               columns.hardware = TextOrNull(run.hardware), columns.model = TextOrNull(run.model),
               columns.user = TextOrNull(run.user), columns.team = TextOrNull(run.team),
               columns.product = TextOrNull(run.product),
               columns.framework = TextOrNull(run.framework), columns.tags = TextOrNull(tags),
               columns.files = static_cast<std::int64_t>(run.files.size()),
               columns.bytes = static_cast<std::int64_t>(bytes),
               columns.reports = static_cast<std::int64_t>(run.reports.size()),
               columns.reason = TextOrNull(run.reason)});
  }
  for (const auto& [path, why] : store->catalogue().Unreadable())
    Tell(fmt::format("{}: {}", path, why.message()));
  return arguments.table.Write(table);
}

// Copies, since who gets a file may change it.
Status Copy(const store::Blobs& blobs, const std::string& sha256, const fs::path& to) {
  RS_ASSIGN_OR_RETURN(const std::string from, blobs.PathOf(sha256));
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::copy_file(from, to, error);
  if (error) return Error(StatusCode::kIo, "{}: cannot write: {}", to.string(), error.message());
  return OkStatus();
}

Status Get(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const auto store, store::Store::Open(arguments.data, {.read_only = true}));
  RS_ASSIGN_OR_RETURN(const store::Run run, store->catalogue().Find(arguments.runs.front()));
  const fs::path folder = arguments.folder;
  std::error_code error;
  if (fs::exists(folder, error)) {
    return Error(StatusCode::kInvalidArgument, "{}: it is there already; name a new folder",
                 arguments.folder);
  }
  for (const store::RunFile& file : run.files)
    RS_RETURN_IF_ERROR(Copy(store->blobs(), file.sha256, folder / "traces" / file.name));
  if (!run.reports.empty()) {
    for (const store::RunTable& table : run.reports.back().tables)
      RS_RETURN_IF_ERROR(Copy(store->blobs(), table.sha256, folder / "report" / table.name));
  }
  return OkStatus();
}

Status Remove(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const auto store, store::Store::Open(arguments.data, {}));
  for (const std::string& run : arguments.runs) RS_RETURN_IF_ERROR(store->catalogue().Remove(run));
  return OkStatus();
}

Status Check(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const auto store,
                      store::Store::Open(arguments.data, {.read_only = !arguments.repair}));
  RS_ASSIGN_OR_RETURN(const store::Checked checked,
                      store->Check(arguments.contents || arguments.repair));
  std::string text;
  for (const store::Problem& problem : checked.problems)
    text += fmt::format("{}: {}\n", problem.where, problem.what);
  text +=
      fmt::format("{} runs, {} contents of {}, {} of them unused\n", checked.runs, checked.blobs,
                  HumanBytes(static_cast<double>(checked.bytes)), checked.unused_blobs);
  if (arguments.repair) {
    for (const std::string& sha256 : checked.damaged)
      RS_RETURN_IF_ERROR(store->blobs().Remove(sha256));
    text += fmt::format("{} damaged contents removed: adding their runs again brings them back\n",
                        checked.damaged.size());
  }
  RS_RETURN_IF_ERROR(WriteOutput("", text));
  if (checked.problems.empty()) return OkStatus();
  return Error(StatusCode::kBadData, "{}: {} problems", arguments.data, checked.problems.size());
}

Status CollectGarbage(const Arguments& arguments) {
  store::Retention retention;
  if (!arguments.older_than.empty()) {
    RS_ASSIGN_OR_RETURN(retention.older_than_s, ParseAge(arguments.older_than));
  }
  if (!arguments.most.empty()) {
    RS_ASSIGN_OR_RETURN(retention.most_bytes, ParseByteSize(arguments.most));
  }
  RS_ASSIGN_OR_RETURN(const auto store, store::Store::Open(arguments.data, {}));
  RS_ASSIGN_OR_RETURN(const store::Removed removed, store->CollectGarbage(retention));
  return WriteOutput(
      "", fmt::format("removed {} runs and {} contents of {}\n", removed.runs, removed.blobs,
                      HumanBytes(static_cast<double>(removed.bytes))));
}

// A subcommand of the store with its own arguments.
CommandSpec& AddSubcommand(CommandSpec& store, const std::string& name, const std::string& about,
                           Status (*run)(const Arguments&), std::shared_ptr<Arguments>& arguments) {
  CommandSpec& command = store.AddCommand(name, about);
  arguments = std::make_shared<Arguments>();
  AddDataFolder(command, arguments->data);
  command.SetRun(MakeAction([run, arguments] { return run(*arguments); }));
  return command;
}

}  // namespace

std::string UtcText(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "";
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

void AddDataFolder(CommandSpec& app, std::string& folder) {
  app.AddOption("--data", folder, "the store's folder").Required().Type(kFolderType);
}

void AddStore(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("store", "keep jobs, their traces and what was made of them");
  AddStoreAdd(command);
  std::shared_ptr<Arguments> arguments;
  CommandSpec& list = AddSubcommand(command, "list", "the runs, the newest first", List, arguments);
  arguments->table.AddTo(list);
  list.Footer("Example:\n  rankscope store list --data /var/lib/rankscope --format csv");
  CommandSpec& get = AddSubcommand(
      command, "get", "write a run's traces and its last report to a new folder", Get, arguments);
  get.AddOption("RUN", arguments->runs, "its id, as list has it").Required().Count(1, 1);
  get.AddOption("-o,--output", arguments->folder, "the new folder").Required().Type(kFolderType);
  get.Footer(
      "Example:\n  rankscope store get 0123456789abcdef --data /var/lib/rankscope -o llama/");
  CommandSpec& remove = AddSubcommand(command, "remove", "forget runs; gc frees what only they had",
                                      Remove, arguments);
  remove.AddOption("RUN", arguments->runs, "their ids, as list has them").Required();
  remove.Footer("Example:\n  rankscope store remove 0123456789abcdef --data /var/lib/rankscope");
  CommandSpec& check =
      AddSubcommand(command, "check", "whether all that runs name is there", Check, arguments);
  check.AddFlag("--contents", arguments->contents, "read every content and compare its hash");
  check.AddFlag(
      "--repair", arguments->repair,
      "the same, and remove damaged contents, so that adding their runs again mends them");
  check.Footer("Example:\n  rankscope store check --data /var/lib/rankscope --contents");
  CommandSpec& gc =
      AddSubcommand(command, "gc", "free what no run names, and runs beyond an age or a size",
                    CollectGarbage, arguments);
  gc.AddOption("--older-than", arguments->older_than,
               "remove runs that were not changed for so long, such as 30d; not those tagged keep");
  gc.AddOption("--max-size", arguments->most,
               "remove the oldest runs while the rest takes more, such as 500G");
  gc.Footer(
      "Example:\n  rankscope store gc --data /var/lib/rankscope --older-than 90d --max-size 500G");
  command.Footer(
      "Example:\n  rankscope store add traces/ --data /var/lib/rankscope\n"
      "  rankscope store list --data /var/lib/rankscope");
}

}  // namespace rankscope::cli
