#include <algorithm>
#include <map>
#include <optional>
#include <thread>

#include "base/parallel.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/table_output.h"
#include "engine/discover.h"
#include "formats/flight/reader.h"
#include "formats/format.h"
#include "hang/analyse.h"
#include "hang/tables.h"
#include "report/hang_report.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::string format = "text";
  std::string output;
  std::string table;
  int jobs = 0;
};

Status CheckFormat(const Arguments& arguments) {
  const bool is_report = arguments.format == "text" || arguments.format == "json";
  if (arguments.table.empty() && !is_report)
    return Error(StatusCode::kInvalidArgument, "--format {} needs --table NAME: it is of one table",
                 arguments.format);
  return OkStatus();
}

struct Dumps {
  std::vector<flight::FlightDump> dumps;  // by rank
  std::vector<std::string> left_out;      // sentences
};

// Files of a folder that are something else are passed over; a file that was named must be a dump.
Result<Dumps> ReadDumps(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindFiles(arguments.paths));
  Dumps read;
  for (const auto& unlisted : found.unlisted) read.left_out.push_back(unlisted.second.message());
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int threads = AffordableThreads(arguments.jobs > 0 ? arguments.jobs : cores);
  std::vector<std::optional<Result<flight::FlightDump>>> results(found.paths.size());
  ParallelFor(found.paths.size(), threads, [&](std::size_t i) {
    if (flight::IsDump(HeadOf(found.paths[i]))) results[i] = flight::ReadDump(found.paths[i]);
  });
  std::map<std::int64_t, std::string> file_of_rank;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& path = found.paths[i];
    const bool is_named =
        std::find(arguments.paths.begin(), arguments.paths.end(), path) != arguments.paths.end();
    if (!results[i]) {
      if (is_named)
        return Error(StatusCode::kBadData, "{}: not a dump of PyTorch's Flight Recorder", path);
      continue;
    }
    Result<flight::FlightDump>& dump = *results[i];
    if (!dump.ok()) {
      if (is_named) return dump.status();
      read.left_out.push_back(dump.status().message());
      continue;
    }
    if (dump->rank < 0) {
      read.left_out.push_back(
          path +
          ": neither its name nor its content says of which rank it is; let the name end in "
          "the rank, such as nccl_trace_rank_3");
      continue;
    }
    const auto [other, is_new] = file_of_rank.emplace(dump->rank, path);
    if (!is_new)
      return Error(StatusCode::kInvalidArgument,
                   "rank {} has two dumps, {} and {}: name those of one hang", dump->rank,
                   other->second, path);
    read.dumps.push_back(std::move(*dump));
  }
  if (read.dumps.empty()) {
    return Error(StatusCode::kNotFound, "{}",
                 !read.left_out.empty()
                     ? read.left_out.front()
                     : arguments.paths.front() + ": no dump of PyTorch's Flight Recorder there");
  }
  std::sort(read.dumps.begin(), read.dumps.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return read;
}

Status Run(const Arguments& arguments) {
  RS_RETURN_IF_ERROR(CheckFormat(arguments));
  RS_ASSIGN_OR_RETURN(const Dumps read, ReadDumps(arguments));
  for (const std::string& sentence : read.left_out) Tell(sentence);
  HangTables tables = AnalyseHang(read.dumps);
  HangReport report;
  report.tables.push_back(std::move(tables.collectives));
  report.tables.push_back(std::move(tables.members));
  report.tables.push_back(std::move(tables.ranks));
  report.tables.push_back(std::move(tables.mismatches));
  report.tables.push_back(std::move(tables.notes));
  if (!arguments.table.empty())
    return TableOutput(arguments.format, arguments.output).Write(*report.Find(arguments.table));
  return WriteOutput(
      arguments.output,
      arguments.format == "json"
          ? WriteHangJson(report)
          : WriteHangText(report, {.colour = arguments.output.empty() && TakesColour()}));
}

}  // namespace

void AddHang(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "hang", "say why a job stands still, from the Flight Recorder dumps of its ranks");
  auto arguments = std::make_shared<Arguments>();
  command.AddOption("PATH", arguments->paths, "dumps, folders of dumps or globs").Required();
  command
      .AddOption("--format", arguments->format,
                 "text or json; of --table text, json, csv, jsonl or parquet")
      .OneOf({"text", "json", "csv", "jsonl", "parquet"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  std::vector<std::string> names;
  for (const HangTable& table : HangTableList()) names.emplace_back(table.name);
  command.AddOption("--table", arguments->table, "one table in place of the report").OneOf(names);
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer(
      "Example:\n  rankscope hang /tmp/nccl_trace_rank_*\n  rankscope hang dumps/ --table "
      "flight_members --format csv");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
