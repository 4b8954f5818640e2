#include "app/read_post_training.h"
#include "catalog/tables.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"
#include "cli/base/standard_input.h"
#include "report/post_training/post_training_report.h"

namespace rankscope::cli {
namespace {

constexpr std::int64_t kMostGpus = 1'000'000;

struct PostTrainingArguments {
  app::PostTrainingSpec run;
  std::int64_t generate_gpus = 0, train_gpus = 0;  // 0: not given
  std::string format = "text";
  std::string output;
  std::string table;
};

bool IsReportFormatPostTraining(std::string_view format) {
  return format == "text" || format == "json" || format == "markdown";
}

Status CheckFormatPostTraining(const PostTrainingArguments& arguments) {
  if (arguments.table.empty() && !IsReportFormatPostTraining(arguments.format))
    return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
                 arguments.format);
  if (!arguments.table.empty() && arguments.format == "markdown")
    return Error(StatusCode::kInvalidArgument,
                 "--format markdown is of the whole report, not of --table");
  return OkStatus();
}

std::string WritePostTraining(const PostTrainingReport& report,
                              const PostTrainingArguments& arguments) {
  if (arguments.format == "json") return WritePostTrainingJson(report);
  if (arguments.format == "markdown") return WritePostTrainingMarkdown(report);
  return WritePostTrainingText(report, {.colour = arguments.output.empty() && TakesColour()});
}

Status RunPostTraining(PostTrainingArguments& arguments) {
  RS_RETURN_IF_ERROR(CheckFormatPostTraining(arguments));
  if (arguments.generate_gpus > 0) arguments.run.generate_gpus = arguments.generate_gpus;
  if (arguments.train_gpus > 0) arguments.run.train_gpus = arguments.train_gpus;
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const PostTrainingReport report,
                      app::ReadPostTraining(arguments.run, listener));
  if (!arguments.table.empty())
    return TableOutput(arguments.format, arguments.output).Write(*report.Find(arguments.table));
  return WriteOutput(arguments.output, WritePostTraining(report, arguments));
}

}  // namespace

void AddPostTraining(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "post-training", "say what wastes the devices of an SFT, DPO, PPO or GRPO run");
  auto arguments = std::make_shared<PostTrainingArguments>();
  command
      .AddOption(
          "PATH", arguments->run.paths,
          "files, folders or globs of what it recorded: logs of veRL, TRL, OpenRLHF or torchforge, "
          "their rows as JSON, a record of phases and rollouts, folders of traces")
      .Required();
  command
      .AddOption("--format", arguments->format,
                 "text, json or markdown; of --table text, json, csv, jsonl or parquet")
      .OneOf({"text", "json", "markdown", "csv", "jsonl", "parquet"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.AddOption("--table", arguments->table, "one table in place of the report")
      .OneOf(catalog::TableNames(Subject::kPostTraining));
  command
      .AddOption("--generate-gpus", arguments->generate_gpus,
                 "devices of the generator, where generator and trainer share none")
      .Range(1, kMostGpus)
      .Type("N");
  command
      .AddOption("--train-gpus", arguments->train_gpus,
                 "devices of the trainer; with --generate-gpus")
      .Range(1, kMostGpus)
      .Type("N");
  command.Footer(
      "Example:\n  rankscope post-training run/\n  rankscope post-training verl.log "
      "--generate-gpus "
      "16 --train-gpus 16\n  rankscope post-training run/ --table post_phases --format csv");
  command.SetRun(MakeAction([arguments] {
    RS_RETURN_IF_ERROR(TakeStandardInput(arguments->run.paths));
    return RunPostTraining(*arguments);
  }));
}

}  // namespace rankscope::cli
