// `rankscope push`: a job's traces to a server, going on where an earlier attempt ended.
#include <fmt/core.h>

#include <mutex>

#include "app/packed_source.h"
#include "app/read_serving.h"
#include "app/run_files.h"
#include "app/serving_files.h"
#include "cli/arguments/run_arguments.h"
#include "cli/arguments/server_arguments.h"
#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/progress.h"
#include "client/push_run.h"

namespace rankscope::cli {
namespace {

struct PushArguments {
  std::vector<std::string> paths;
  ServerArguments server;
  RunArguments run;
  std::string source;
  int patience_s = 300;
  bool waits = false;
  bool is_direct = false;
  bool all = false;
  bool serving = false;
  std::string slo;

  app::RunKind kind() const { return serving ? app::RunKind::kServing : app::RunKind::kTold; }
};

// Of many some.
void TellSome(const std::vector<std::string>& sentences) {
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 0; i < sentences.size() && i < kMost; ++i) Tell(sentences[i]);
  if (sentences.size() > kMost) Tell(fmt::format("and {} files more", sentences.size() - kMost));
}

// One run after the other, over connections that are made anew where they break off.
class Push {
 public:
  explicit Push(const PushArguments& arguments)
      : arguments_(arguments), wait_([this] { return interrupted_.IsSet(); }) {}

  Result<client::Server> Connect() {
    RS_ASSIGN_OR_RETURN(client::Server server, arguments_.server.Connect());
    const auto tell = [&](const Status& why) {
      std::call_once(told_, [&] {
        Tell(fmt::format("{}; trying again for {} s", why.message(), arguments_.patience_s));
      });
    };
    server.BePatient(wait_,
                     {.time = std::chrono::seconds(arguments_.patience_s), .on_first_wait = tell});
    return server;
  }

  Status Send(client::Server& server, const std::vector<std::string>& paths, store::Run run) {
    RS_ASSIGN_OR_RETURN(app::RunFiles found,
                        app::FindRunFiles(paths, arguments_.kind(), listener_));
    RS_RETURN_IF_ERROR(AddServingTags(found.is_serving, run));
    std::vector<store::LocalFile> files = std::move(found.files);
    if (source_ != nullptr) files.insert(files.begin(), source_->file());
    client::Pushed pushed;
    {
      ProgressLine line;
      RS_ASSIGN_OR_RETURN(pushed, client::PushRun([this] { return Connect(); }, run, files,
                                                  [&](std::uint64_t sent, std::uint64_t total) {
                                                    line.Update("sending", sent, total);
                                                    return !interrupted_.IsSet();
                                                  },
                                                  direct_.get()));
    }
    if (pushed.was_there)
      Tell(fmt::format("the server has these files already, as run {}", pushed.run));
    if (direct_ != nullptr && pushed.by_server > 0)
      Tell(fmt::format("files that went through the server: {}: it gives no addresses for them",
                       pushed.by_server));
    if (arguments_.waits)
      RS_RETURN_IF_ERROR(client::WaitForReport(server, pushed.run, wait_).status());
    return WriteOutput("", server.PageOf(pushed.run) + "\n");
  }

  // Before anything is sent.
  Status OpenDirect() {
    if (!arguments_.is_direct) return OkStatus();
    RS_ASSIGN_OR_RETURN(direct_, client::OpenDirect());
    return OkStatus();
  }

  // The program's code goes with every run.
  Status AddSource(store::Run& run) {
    if (arguments_.source.empty()) return OkStatus();
    RS_ASSIGN_OR_RETURN(source_, app::PackedSource::Of(arguments_.source));
    TellSome(source_->left_out());
    if (!source_->commit().empty()) run.tags.emplace("commit", source_->commit());
    return OkStatus();
  }

  TerminalListener& listener() { return listener_; }

 private:
  // What the server's analysis goes by (service/queue/report_words.h).
  Status AddServingTags(bool is_serving, store::Run& run) const {
    if (!is_serving && !arguments_.slo.empty())
      return Error(StatusCode::kInvalidArgument,
                   "--slo is of a serving program's recordings, and these are traces of a job");
    if (is_serving) run.tags[std::string(store::kKindTag)] = store::kServingKind;
    if (!arguments_.slo.empty()) run.tags[std::string(store::kSloTag)] = arguments_.slo;
    return OkStatus();
  }

  const PushArguments& arguments_;
  const InterruptFlag interrupted_;
  client::RealWait wait_;
  std::once_flag told_;
  TerminalListener listener_;
  std::unique_ptr<app::PackedSource> source_;
  std::shared_ptr<fetch::Transport> direct_;  // null: all goes through the server
};

// Several runs are NAME/SUBFOLDER each, with one tag, by which the server lists them together.
Status SendEach(Push& push, client::Server& server, const PushArguments& arguments,
                const store::Run& run) {
  if (arguments.kind() == app::RunKind::kServing ||
      app::IsServing(arguments.paths, push.listener()))
    return Error(StatusCode::kInvalidArgument,
                 "--all is of traces of several jobs; recordings of serving programs are pushed "
                 "one by one");
  RS_ASSIGN_OR_RETURN(const auto runs, app::RunsAmong(arguments.paths, push.listener()));
  if (runs.size() == 1) return push.Send(server, arguments.paths, run);
  for (const app::NamedRun& one : runs) {
    store::Run own = run;
    own.name = run.name + "/" + one.name;
    own.tags["set"] = run.name;
    RS_RETURN_IF_ERROR(push.Send(server, one.paths, own));
  }
  return OkStatus();
}

Status RunPush(const PushArguments& arguments) {
  if (!arguments.slo.empty()) RS_RETURN_IF_ERROR(app::CheckServingObjective(arguments.slo));
  Push push(arguments);
  RS_RETURN_IF_ERROR(push.OpenDirect());
  RS_ASSIGN_OR_RETURN(client::Server server, push.Connect());
  RS_ASSIGN_OR_RETURN(store::Run run, arguments.run.Read(arguments.paths, arguments.kind()));
  RS_RETURN_IF_ERROR(push.AddSource(run));
  return arguments.all ? SendEach(push, server, arguments, run)
                       : push.Send(server, arguments.paths, run);
}

}  // namespace

void AddPush(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("push",
                     "send a job's traces, or what a serving program recorded, to a server, "
                     "and have it analysed");
  auto arguments = std::make_shared<PushArguments>();
  command
      .AddOption("PATH", arguments->paths,
                 "files, folders or globs of one job, or of what rankscope serving reads")
      .Required();
  arguments->server.AddTo(command);
  arguments->run.AddTo(command);
  command
      .AddOption("--source", arguments->source,
                 "the program's Python code: the server shows patches of it")
      .Type(kFolderType);
  command
      .AddOption("--patience", arguments->patience_s,
                 "seconds to try again while the server is away or busy")
      .Range(0, 86400)
      .ShowDefault();
  command.AddFlag("--all", arguments->all,
                  "of several runs that make no job together: send each as a run of its own, "
                  "NAME/SUBFOLDER, with the tag set=NAME");
  command.AddFlag("--serving", arguments->serving,
                  "of traces beside a serving program's recordings: they are of its engine, and "
                  "the run is of the serving program");
  command
      .AddOption("--slo", arguments->slo,
                 "of a serving program: limits that good requests keep, such as "
                 "ttft=500ms,tpot=50ms")
      .Type("LIMITS");
  command.AddFlag("--direct", arguments->is_direct,
                  "put files into the server's S3 store itself, where the server gives addresses "
                  "for that");
  command.AddFlag("--wait", arguments->waits, "until the report is there");
  command.Footer(
      "Example:\n  rankscope push traces/ --server http://127.0.0.1:8723 --name llama-70b");
  command.SetRun(MakeAction([arguments] { return RunPush(*arguments); }));
}

}  // namespace rankscope::cli
