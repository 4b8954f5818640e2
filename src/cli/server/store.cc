#include "cli/server/store.h"

#include <fmt/core.h>

#include "app/stored_runs.h"
#include "base/number_set.h"
#include "cli/arguments/blob_arguments.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/table_output.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"
#include "service/check_store.h"
#include "service/kept_beside.h"
#include "service/migrate_store.h"
#include "store/backup.h"
#include "store/move_blobs.h"
#include "store/requeue.h"
#include "table/human_number.h"

namespace rankscope::cli {
namespace {

struct StoreArguments {
  std::string data;
  BlobArguments blobs;
  std::string catalogue;
  std::vector<std::string> runs;
  TableOutput table;
  std::string folder;
  std::string backup;
  std::string to;
  bool contents = false;
  bool repair = false;
  bool seal = false;
  std::string older_than;
  std::string most;
};

Status List(const StoreArguments& arguments) {
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const Table runs, app::RunsOf(arguments.data, listener, arguments.catalogue));
  return arguments.table.Write(runs);
}

Status Get(const StoreArguments& arguments) {
  return app::CopyRun(arguments.data, arguments.runs.front(), arguments.folder,
                      arguments.catalogue);
}

Status BackUp(const StoreArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const store::BlobPlace blobs, arguments.blobs.Read());
  RS_ASSIGN_OR_RETURN(const store::BackedUp done,
                      store::BackUp(arguments.data, arguments.backup, service::kFoldersBesideRuns,
                                    arguments.catalogue, blobs));
  std::string text;
  for (const store::Problem& problem : done.problems)
    text += fmt::format("{}: {}\n", problem.where, problem.what);
  text += fmt::format(
      "{} runs, {} of them new or changed: {} contents of {} copied, {} files beside runs\n",
      done.runs, done.new_runs, done.contents, HumanBytes(static_cast<double>(done.bytes)),
      done.beside);
  RS_RETURN_IF_ERROR(WriteOutput("", text));
  if (done.problems.empty()) return OkStatus();
  return Error(StatusCode::kBadData, "{}: {} problems: what they name is not in the backup",
               arguments.data, done.problems.size());
}

Status Remove(const StoreArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const auto store,
                      store::Store::Open(arguments.data, {.catalogue = arguments.catalogue}));
  for (const std::string& run : arguments.runs) RS_RETURN_IF_ERROR(store->catalogue().Remove(run));
  return OkStatus();
}

Status RequeueRuns(const StoreArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const store::BlobPlace blobs, arguments.blobs.Read());
  auto opened =
      store::Store::Open(arguments.data, {.catalogue = arguments.catalogue, .blobs = blobs});
  if (opened.status().code() == StatusCode::kResource && arguments.catalogue.empty()) {
    return Error(
        StatusCode::kResource,
        "{}: another process writes to this store (rankscope serve?): while a server runs, "
        "POST /api/v1/runs/RUN/reopen and then /finish do the same",
        arguments.data);
  }
  RS_ASSIGN_OR_RETURN(const auto store, std::move(opened));
  std::string text;
  for (const std::string& id : arguments.runs) {
    RS_ASSIGN_OR_RETURN(const store::Run run, store::Requeue(*store, id));
    text += fmt::format("run {} is {}\n", run.id, store::ToString(run.state));
  }
  return WriteOutput("", text);
}

Status CheckStore(const StoreArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const store::BlobPlace blobs, arguments.blobs.Read());
  RS_ASSIGN_OR_RETURN(const service::StoreCheck check,
                      service::CheckStore({.data_folder = arguments.data,
                                           .catalogue = arguments.catalogue,
                                           .blobs = blobs,
                                           .contents = arguments.contents,
                                           .repair = arguments.repair,
                                           .seal = arguments.seal}));
  const store::Checked& checked = check.checked;
  std::string text;
  for (const store::Problem& problem : check.problems)
    text += fmt::format("{}: {}\n", problem.where, problem.what);
  text +=
      fmt::format("{} runs, {} contents of {}, {} of them unused\n", checked.runs, checked.blobs,
                  HumanBytes(static_cast<double>(checked.bytes)), checked.unused_blobs);
  if (!arguments.contents && !arguments.repair && !arguments.seal)
    text += "the bytes of contents were not read: --contents compares them with their SHA-256\n";
  if (checked.sealed_late > 0) {
    text += fmt::format(
        "{} runs were not verified before their records got a checksum (sealed_s of the record "
        "says when)\n",
        checked.sealed_late);
  }
  if (checked.unsealed > 0) {
    text += fmt::format(
        "{} runs have not been verified: an older version kept them without a "
        "checksum of their record; {}\n",
        checked.unsealed,
        arguments.seal ? "what is said of them above keeps them so"
                       : "rankscope store check --seal gives them one");
  }
  if (arguments.repair) {
    text += fmt::format("{} damaged contents removed: adding their runs again brings them back\n",
                        check.removed);
  }
  RS_RETURN_IF_ERROR(WriteOutput("", text));
  if (check.problems.empty()) return OkStatus();
  return Error(StatusCode::kBadData, "{}: {} problems", arguments.data, check.problems.size());
}

Status CollectGarbage(const StoreArguments& arguments) {
  store::Retention retention;
  if (!arguments.older_than.empty()) {
    RS_ASSIGN_OR_RETURN(retention.older_than_s, ParseAge(arguments.older_than));
  }
  if (!arguments.most.empty()) {
    RS_ASSIGN_OR_RETURN(retention.most_bytes, ParseByteSize(arguments.most));
  }
  RS_ASSIGN_OR_RETURN(const store::BlobPlace blobs, arguments.blobs.Read());
  RS_ASSIGN_OR_RETURN(
      const auto store,
      store::Store::Open(arguments.data, {.catalogue = arguments.catalogue, .blobs = blobs}));
  RS_ASSIGN_OR_RETURN(const store::Removed removed, store->CollectGarbage(retention));
  return WriteOutput(
      "", fmt::format("removed {} runs and {} contents of {}\n", removed.runs, removed.blobs,
                      HumanBytes(static_cast<double>(removed.bytes))));
}

Status MoveBlobs(const StoreArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const store::BlobPlace to, arguments.blobs.Read());
  RS_ASSIGN_OR_RETURN(const store::MovedBlobs moved, store::MoveBlobs(arguments.data, to));
  std::string text;
  for (const store::Problem& problem : moved.damaged)
    text += fmt::format("{}: {}\n", problem.where, problem.what);
  text += fmt::format("{} contents of {} moved to {}, {} damaged ones left in the folder\n",
                      moved.contents, HumanBytes(static_cast<double>(moved.bytes)), moved.place,
                      moved.damaged.size());
  RS_RETURN_IF_ERROR(WriteOutput("", text));
  if (moved.damaged.empty()) return OkStatus();
  return Error(StatusCode::kBadData, "{}: {} contents are damaged", arguments.data,
               moved.damaged.size());
}

Status Migrate(const StoreArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const service::MigratedStore done,
                      service::MigrateStore(arguments.data, arguments.to));
  std::string text;
  for (const store::Problem& problem : done.problems)
    text += fmt::format("{}: {}\n", problem.where, problem.what);
  if (!done.why_no_audit.empty()) {
    text += fmt::format("the earlier audit log stays in {}/audit, and is not in the database: {}\n",
                        arguments.data, done.why_no_audit);
  }
  text += fmt::format(
      "{} runs, {} of them new in {}, with {} shared states, {} gains and {} lines of the audit "
      "log\n",
      done.runs, done.new_runs, done.to, done.shares, done.gains, done.audit_lines);
  RS_RETURN_IF_ERROR(WriteOutput("", text));
  if (done.problems.empty()) return OkStatus();
  return Error(StatusCode::kBadData, "{}: {} problems: what they name was not copied{}",
               arguments.data, done.problems.size(),
               done.is_given ? ""
                             : "; the folder is not the cluster's before all its runs are: repair "
                               "or remove these, and run this again");
}

// A subcommand of the store with its own arguments.
CommandSpec& AddSubcommand(CommandSpec& store, const std::string& name, const std::string& about,
                           Status (*run)(const StoreArguments&),
                           std::shared_ptr<StoreArguments>& arguments) {
  CommandSpec& command = store.AddCommand(name, about);
  arguments = std::make_shared<StoreArguments>();
  AddDataFolder(command, arguments->data);
  if (name != "migrate") AddCatalogue(command, arguments->catalogue);
  command.SetRun(MakeAction([run, arguments] { return run(*arguments); }));
  return command;
}

}  // namespace

void AddDataFolder(CommandSpec& app, std::string& folder) {
  app.AddOption("--data", folder, "the store's folder").Required().Type(kFolderType);
}

CommandOption& AddCatalogue(CommandSpec& app, std::string& catalogue) {
  if (const char* const variable = std::getenv("RANKSCOPE_CATALOGUE"); variable != nullptr)
    catalogue = variable;
  return app
      .AddOption("--catalogue", catalogue,
                 "the database that has the runs, postgresql://USER@HOST/DATABASE, for several "
                 "servers and workers (default: $RANKSCOPE_CATALOGUE, else the data folder)")
      .Type("ADDRESS");
}

void AddStore(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("store", "keep jobs, their traces and what was made of them");
  AddStoreAdd(command);
  std::shared_ptr<StoreArguments> arguments;
  CommandSpec& list = AddSubcommand(command, "list", "the runs, the newest first", List, arguments);
  arguments->table.AddTo(list);
  list.Footer("Example:\n  rankscope store list --data /var/lib/rankscope --format csv");
  CommandSpec& get = AddSubcommand(
      command, "get", "write a run's traces and its last report to a new folder", Get, arguments);
  get.AddOption("RUN", arguments->runs, "its id, as list has it").Required().Count(1, 1);
  get.AddOption("-o,--output", arguments->folder, "the new folder").Required().Type(kFolderType);
  get.Footer(
      "Example:\n  rankscope store get 0123456789abcdef --data /var/lib/rankscope -o llama/");
  CommandSpec& backup = AddSubcommand(
      command, "backup", "bring a second folder up to what the store has, also beside a server",
      BackUp, arguments);
  backup.AddOption("FOLDER", arguments->backup, "the backup; a store, made where there is none")
      .Required()
      .Type(kFolderType);
  arguments->blobs.AddTo(backup, "--blobs", kBlobsHelp);
  backup.Footer("Example:\n  rankscope store backup /mnt/backup --data /var/lib/rankscope");
  CommandSpec& remove = AddSubcommand(command, "remove", "forget runs; gc frees what only they had",
                                      Remove, arguments);
  remove.AddOption("RUN", arguments->runs, "their ids, as list has them").Required();
  remove.Footer("Example:\n  rankscope store remove 0123456789abcdef --data /var/lib/rankscope");
  CommandSpec& requeue =
      AddSubcommand(command, "requeue", "analyse runs again that have failed or are ready",
                    RequeueRuns, arguments);
  requeue.AddOption("RUN", arguments->runs, "their ids, as list has them").Required();
  arguments->blobs.AddTo(requeue, "--blobs", kBlobsHelp);
  requeue.Footer(
      "Example:\n  rankscope store requeue 0123456789abcdef --catalogue "
      "postgresql://rankscope@db/rankscope --data /mnt/rankscope");
  CommandSpec& check = AddSubcommand(
      command, "check", "whether all that runs name is there, and what is kept beside them sound",
      CheckStore, arguments);
  check.AddFlag("--contents", arguments->contents, "read every content and compare its hash");
  check.AddFlag(
      "--repair", arguments->repair,
      "the same, and remove damaged contents, so that adding their runs again mends them");
  check.AddFlag("--seal", arguments->seal,
                "read and compare all, and give the records of older versions, which kept no "
                "checksums of them, one where all that they name is sound");
  arguments->blobs.AddTo(check, "--blobs", kBlobsHelp);
  check.Footer("Example:\n  rankscope store check --data /var/lib/rankscope --contents");
  CommandSpec& gc =
      AddSubcommand(command, "gc", "free what no run names, and runs beyond an age or a size",
                    CollectGarbage, arguments);
  gc.AddOption("--older-than", arguments->older_than,
               "remove runs that were not changed for so long, such as 30d; not those tagged keep");
  gc.AddOption("--max-size", arguments->most,
               "remove the oldest runs while the rest takes more, such as 500G");
  arguments->blobs.AddTo(gc, "--blobs", kBlobsHelp);
  gc.Footer(
      "Example:\n  rankscope store gc --data /var/lib/rankscope --older-than 90d --max-size 500G");
  CommandSpec& blobs = AddSubcommand(
      command, "blobs", "move the contents of a store from its folder to S3", MoveBlobs, arguments);
  arguments->blobs.AddTo(blobs, "--to", "s3://BUCKET/PREFIX");
  blobs.Footer(
      "Example:\n  rankscope store blobs --to s3://traces/rankscope --data /var/lib/rankscope");
  CommandSpec& migrate = AddSubcommand(
      command, "migrate",
      "copy runs, shares, gains and the audit log of a folder into a database, which has them from "
      "then on; contents stay",
      Migrate, arguments);
  migrate.AddOption("--to", arguments->to, "the database, postgresql://USER@HOST/DATABASE")
      .Required()
      .Type("ADDRESS");
  migrate.Footer(
      "Example:\n  rankscope store migrate --to postgresql://rankscope@db/rankscope --data "
      "/var/lib/rankscope");
  command.Footer(
      "Example:\n  rankscope store add traces/ --data /var/lib/rankscope\n"
      "  rankscope store list --data /var/lib/rankscope");
}

}  // namespace rankscope::cli
