#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/file.h"
#include "cli/base/command.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/standard_input.h"
#include "cli/server/probe_run.h"
#include "probe/check/spec.h"
#include "probe/compile/generate.h"
#include "probe/run/host.h"
#include "probe/syntax/format.h"
#include "probe/syntax/tree.h"
#include "probe/tool/coverage.h"
#include "probe/tool/explain.h"
#include "probe/tool/words.h"

namespace rankscope::cli {
namespace {

struct ProbeArguments {
  std::vector<std::string> files;
  std::string file, metric, root, output;
  bool tree = false, schedule = false, check = false;
};

// "chip.probe: correct; Chip gives 5 metrics, 4 of them standard".
std::string Summary(const probe::Spec& spec) {
  std::string text = spec.file + ": correct";
  for (const probe::DeviceSpec& device : spec.devices) {
    const std::size_t count = device.exports.size();
    text += fmt::format("; {} gives {} metric{}, {} of them standard", device.name, count,
                        count == 1 ? "" : "s", probe::CoverageOf(device).given);
  }
  return text + "\n";
}

// False where the file is wrong.
Result<bool> CheckOne(const std::string& file, std::string& said) {
  RS_ASSIGN_OR_RETURN(std::string text, ReadFile(file));
  probe::Diagnostics diagnostics;
  const probe::Spec spec = probe::CheckText(file, std::move(text), diagnostics);
  for (const probe::Diagnostic& one : diagnostics.Sorted())
    said += probe::FormatDiagnostic(file, spec.text, one);
  if (diagnostics.LeftOut() > 0)
    said += fmt::format("{}: {} more are not shown\n", file, diagnostics.LeftOut());
  if (diagnostics.has_errors()) return false;
  said += Summary(spec);
  return true;
}

Result<ExitCode> CheckProbe(const ProbeArguments& arguments) {
  bool is_good = true;
  std::string said;
  for (const std::string& file : arguments.files) {
    const Result<bool> checked = CheckOne(file, said);
    if (!checked.ok()) Tell(checked.status().message());
    is_good = is_good && checked.ok() && *checked;
  }
  RS_RETURN_IF_ERROR(WriteOutput("", said));
  return is_good ? kDone : kCouldNot;
}

// The tree needs no meaning: what Python's own parser says of the file can be compared with it.
Status ShowTree(const std::string& file) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  probe::Diagnostics diagnostics;
  const probe::SyntaxTree tree = probe::Parse(text, diagnostics);
  if (diagnostics.has_errors()) return probe::FirstError(file, text, diagnostics);
  return WriteOutput("", probe::DumpTree(tree));
}

Status Explain(const ProbeArguments& arguments) {
  if (arguments.tree) return ShowTree(arguments.file);
  RS_ASSIGN_OR_RETURN(const probe::Spec spec, probe::ReadSpec(arguments.file));
  if (arguments.schedule || arguments.metric.empty())
    return WriteOutput("", probe::ScheduleText(spec));
  RS_ASSIGN_OR_RETURN(const auto reader, OpenProbeReader(arguments.root));
  probe::Host host(spec, *reader);
  host.Refresh(probe::MonotonicNow());
  ReadChanges(spec, host, arguments.metric);
  RS_ASSIGN_OR_RETURN(const std::string text,
                      probe::MetricTree(spec, host, arguments.metric, probe::MonotonicNow()));
  return WriteOutput("", text);
}

Status Compile(const ProbeArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const probe::Spec spec, probe::ReadSpec(arguments.file));
  std::error_code error;
  std::filesystem::create_directories(arguments.output, error);
  if (error) return Error(StatusCode::kIo, "{}: {}", arguments.output, error.message());
  std::string written;
  for (const probe::GeneratedFile& one : probe::Generate(spec, "rankscope " + ProgramVersion())) {
    const std::string path = (std::filesystem::path(arguments.output) / one.name).string();
    RS_RETURN_IF_ERROR(WriteFileAtomically(path, one.text));
    written += path + "\n";
  }
  return WriteOutput("", written);
}

Status Coverage(const ProbeArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const probe::Spec spec, probe::ReadSpec(arguments.file));
  return WriteOutput("", probe::CoverageText(spec));
}

// A file, or standard input where it is "-".
Result<std::string> TextOf(const std::string& file) {
  return file == kStandardInput ? ReadStandardInput() : ReadFile(file);
}

// What each file is to be: written there, told with --check, or printed where it is standard input.
Result<bool> FormatOne(const ProbeArguments& arguments, const std::string& file) {
  RS_ASSIGN_OR_RETURN(const std::string text, TextOf(file));
  probe::Diagnostics diagnostics;
  const std::optional<std::string> formatted = probe::Format(text, diagnostics);
  if (!formatted) return probe::FirstError(file, text, diagnostics);
  const bool is_good = *formatted == text;
  if (arguments.check) {
    if (!is_good) RS_RETURN_IF_ERROR(WriteOutput("", file + ": not formatted\n"));
    return is_good;
  }
  if (file == kStandardInput) {
    RS_RETURN_IF_ERROR(WriteOutput("", *formatted));
  } else if (!is_good) {
    RS_RETURN_IF_ERROR(WriteFileAtomically(file, *formatted));
  }
  return true;
}

Result<ExitCode> FormatProbe(const ProbeArguments& arguments) {
  bool is_good = true;
  for (const std::string& file : arguments.files) {
    const Result<bool> done = FormatOne(arguments, file);
    if (!done.ok()) Tell(done.status().message());
    is_good = is_good && done.ok() && *done;
  }
  return is_good ? kDone : kCouldNot;
}

Status Words(const ProbeArguments& arguments) {
  if (arguments.file.empty()) return WriteOutput("", probe::WordsJson(nullptr));
  RS_ASSIGN_OR_RETURN(const std::string text, TextOf(arguments.file));
  probe::Diagnostics diagnostics;
  const probe::SyntaxTree tree = probe::Parse(text, diagnostics);
  return WriteOutput("", probe::WordsJson(&tree));
}

void AddFormatSpec(CommandSpec& probe) {
  CommandSpec& command = probe.AddCommand("format", "lay specifications out alike");
  auto arguments = std::make_shared<ProbeArguments>();
  command
      .AddOption("FILE", arguments->files,
                 "specifications, which are written anew; - prints what standard input is to be")
      .Type(kFileType)
      .Required();
  command.AddFlag("--check", arguments->check,
                  "change nothing; name the files that are not formatted, exit code 1");
  command.Footer("Example:\n  rankscope probe format chip.probe");
  command.SetRun(MakeActionWithCode([arguments] { return FormatProbe(*arguments); }));
}

void AddWordsOfSpec(CommandSpec& probe) {
  CommandSpec& command = probe.AddCommand("words", "print as JSON what an editor can complete");
  auto arguments = std::make_shared<ProbeArguments>();
  command
      .AddOption("FILE", arguments->file,
                 "a specification, right or not, whose names count, too; - is standard input")
      .Type(kFileType);
  command.Footer("Example:\n  rankscope probe words chip.probe");
  command.SetRun(MakeAction([arguments] { return Words(*arguments); }));
}

void AddCheckSpec(CommandSpec& probe) {
  CommandSpec& command = probe.AddCommand("check", "say what is wrong with specifications");
  auto arguments = std::make_shared<ProbeArguments>();
  command.AddOption("FILE", arguments->files, "specifications").Type(kFileType).Required();
  command.Footer(
      "Example:\n  rankscope probe check chip.probe\n"
      "A line FILE:LINE:COLUMN: for every mistake, at most 20 a file; exit code 1 where there is "
      "one.");
  command.SetRun(MakeActionWithCode([arguments] { return CheckProbe(*arguments); }));
}

void AddExplainSpec(CommandSpec& probe) {
  CommandSpec& command = probe.AddCommand(
      "explain", "show where the value of a metric comes from, and when what is read");
  auto arguments = std::make_shared<ProbeArguments>();
  command.AddOption("FILE", arguments->file, "a specification").Type(kFileType).Required();
  command.AddOption("METRIC", arguments->metric,
                    "its expression with the value, age and cost of every source here");
  const CommandOption& schedule = command.AddFlag("--schedule", arguments->schedule,
                                                  "what is read how often, as without a metric");
  command.AddFlag("--tree", arguments->tree, "the syntax tree of the file").Excludes(schedule);
  command.AddOption("--root", arguments->root, kRootAbout).Type(kFolderType);
  command.Footer("Example:\n  rankscope probe explain chip.probe temperature");
  command.SetRun(MakeAction([arguments] { return Explain(*arguments); }));
}

void AddCompileSpec(CommandSpec& probe) {
  CommandSpec& command =
      probe.AddCommand("compile", "write C++ that computes what the interpreter does");
  auto arguments = std::make_shared<ProbeArguments>();
  command.AddOption("FILE", arguments->file, "a specification").Type(kFileType).Required();
  command
      .AddOption("-o,--output", arguments->output,
                 "the folder for CLASS.h and CLASS.cc of each class")
      .Type(kFolderType)
      .Required();
  command.Footer("Example:\n  rankscope probe compile chip.probe -o generated/");
  command.SetRun(MakeAction([arguments] { return Compile(*arguments); }));
}

void AddCoverageOfSpec(CommandSpec& probe) {
  CommandSpec& command =
      probe.AddCommand("coverage", "say which of the standard metrics a device gives");
  auto arguments = std::make_shared<ProbeArguments>();
  command.AddOption("FILE", arguments->file, "a specification").Type(kFileType).Required();
  command.Footer("Example:\n  rankscope probe coverage chip.probe");
  command.SetRun(MakeAction([arguments] { return Coverage(*arguments); }));
}

}  // namespace

void AddProbe(CommandSpec& app) {
  CommandSpec& probe = app.AddCommand("probe", "read any accelerator by a specification of a page");
  AddCheckSpec(probe);
  AddFormatSpec(probe);
  AddWordsOfSpec(probe);
  AddProbeEval(probe);
  AddExplainSpec(probe);
  AddCoverageOfSpec(probe);
  AddCompileSpec(probe);
  AddProbeRecord(probe);
  AddProbeReplay(probe);
  AddProbeWorker(probe);
}

}  // namespace rankscope::cli
