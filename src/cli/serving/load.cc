#include <atomic>
#include <cmath>
#include <optional>

#include "app/run_load.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/request_arguments.h"
#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/work_folder.h"
#include "cli/serving/level_captures.h"
#include "cli/serving/load_view.h"
#include "load/requests/target_url.h"
#include "schemas/serving.h"
#include "serving/base/words.h"
#include "table/table_of.h"

namespace rankscope::cli {
namespace {

constexpr double kMostPerS = 1'000'000;
constexpr int kMostUsers = 100'000;

// As they are typed.
struct LoadArguments {
  load::LoadSpec spec;
  std::string url;
  std::vector<std::string> rates;
  std::string ramp;
  std::vector<int> users;
  std::string duration = "30s", timeout = "600s", drain = "60s";
  int requests = 0;
  RequestArguments what;
  std::string arrivals = "poisson";
  int connections = 4096;
  bool has_duration = false;
  bool no_scrape = false;
  LevelCaptureArguments capture;
  std::string objective;
  std::string keep, format = "text", output;
};

Result<double> RateOf(std::string_view text, std::string_view option) {
  const auto rate = serving::ToNumber(text);
  if (rate && *rate > 0 && *rate <= kMostPerS) return *rate;
  return Error(StatusCode::kInvalidArgument,
               "{} takes requests a second above 0 and up to {:.0f}, not '{}'", option, kMostPerS,
               text);
}

Result<std::vector<load::LevelSpec>> LevelsOf(const LoadArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const std::int64_t sending, ParseDuration(arguments.duration));
  if (sending <= 0) return Error(StatusCode::kInvalidArgument, "--duration takes a time above 0");
  load::LevelSpec level{.sending = sending};
  if (arguments.requests > 0) level.most_requests = arguments.requests;
  std::vector<load::LevelSpec> levels;
  for (const std::string& text : arguments.rates) {
    RS_ASSIGN_OR_RETURN(level.per_s, RateOf(text, "--rate"));
    levels.push_back(level);
  }
  if (!arguments.ramp.empty()) {
    const std::size_t dash = arguments.ramp.find('-', 1);
    if (dash == std::string::npos)
      return Error(StatusCode::kInvalidArgument, "--ramp takes two rates, such as 1-20, not '{}'",
                   arguments.ramp);
    RS_ASSIGN_OR_RETURN(level.per_s, RateOf(arguments.ramp.substr(0, dash), "--ramp"));
    RS_ASSIGN_OR_RETURN(level.end_per_s, RateOf(arguments.ramp.substr(dash + 1), "--ramp"));
    levels.push_back(level);
  }
  for (const int users : arguments.users) {
    if (users < 1 || users > kMostUsers)
      return Error(StatusCode::kInvalidArgument, "--users takes numbers from 1 to {}", kMostUsers);
    load::LevelSpec closed{.kind = serving::LoadKind::kClosed, .users = users, .sending = sending};
    closed.most_requests = level.most_requests;
    levels.push_back(closed);
  }
  if (arguments.capture.is_given() && (!arguments.ramp.empty() || !arguments.spec.replay.empty()))
    return Error(StatusCode::kInvalidArgument,
                 "--capture records while a level's load goes on: with --rate, --users or a "
                 "search, not with --ramp and --replay");
  if (!arguments.spec.replay.empty()) {
    if (!levels.empty())
      return Error(StatusCode::kInvalidArgument,
                   "--replay says when requests come: without --rate, --ramp and --users");
    if (!arguments.has_duration) level.sending = 0;
    levels.push_back(level);
  }
  return levels;
}

Result<load::LoadSpec> SpecOf(const LoadArguments& arguments) {
  load::LoadSpec spec = arguments.spec;
  RS_ASSIGN_OR_RETURN(spec.levels, LevelsOf(arguments));
  RS_RETURN_IF_ERROR(arguments.what.TakeInto(spec));
  RS_RETURN_IF_ERROR(load::TakeUrl(arguments.url, spec.target));
  RS_ASSIGN_OR_RETURN(spec.search_sending, ParseDuration(arguments.duration));
  RS_ASSIGN_OR_RETURN(spec.request_time, ParseDuration(arguments.timeout));
  RS_ASSIGN_OR_RETURN(spec.drain, ParseDuration(arguments.drain));
  spec.arrivals = ArrivalsOf(arguments.arrivals);
  spec.most_connections = static_cast<std::size_t>(arguments.connections);
  spec.scrapes = !arguments.no_scrape;
  return spec;
}

// No request had an answer.
bool HasNoAnswer(const ServingReport& report) {
  const ViewOf<ServingLevels> rows(*report.Find(ServingLevels::kName));
  const auto& schema = SchemaOf<ServingLevels>();
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.Known(row, schema.requests).value_or(0) >
        rows.Known(row, schema.failed).value_or(0) + rows.Known(row, schema.unfinished).value_or(0))
      return false;
  }
  return true;
}

// Why nothing is said of the server; "" where something is.
std::string WhyInvalid(const ServingReport& report) {
  const ViewOf<ServingLevels> rows(*report.Find(ServingLevels::kName));
  const auto& schema = SchemaOf<ServingLevels>();
  std::string why;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    why = std::string(rows.TextOrEmpty(row, schema.invalid));
    if (why.empty()) return "";
  }
  return why;
}

std::string WriteLoad(const ServingReport& report, const LoadArguments& arguments) {
  if (arguments.format == "json") return WriteServingJson(report);
  if (arguments.format == "markdown") return WriteServingMarkdown(report);
  return WriteServingText(report, {.colour = arguments.output.empty() && TakesColour()});
}

Result<ServingReport> Measure(const load::LoadSpec& spec, const LoadArguments& arguments,
                              const InterruptFlag& interrupted) {
  LoadView view;
  std::atomic<bool> was_stopped = false;
  const std::function<void(const load::LiveNumbers&)> show = [&](const load::LiveNumbers& numbers) {
    view.Show(numbers);
  };
  std::optional<LevelCaptures> captures;
  if (arguments.capture.is_given()) {
    RS_ASSIGN_OR_RETURN(capture::CaptureRequest request, arguments.capture.RequestOf());
    RS_ASSIGN_OR_RETURN(client::Server server, arguments.capture.Connect());
    // While files come, too, when no level looks at the flag.
    captures.emplace(std::move(server), std::move(request),
                     [&] { return was_stopped || interrupted.IsSet(); });
  }
  const load::LoadWatch watch{.level = {.live = view.is_terminal() ? show : nullptr,
                                        .is_stopped =
                                            [&] {
                                              const bool is_set = interrupted.IsSet();
                                              interrupted.Clear();
                                              was_stopped = was_stopped || is_set;
                                              return is_set;
                                            }},
                              .begins = [&](const load::LevelSpec& level,
                                            std::int32_t number) { view.Begin(level, number); },
                              .ends = [&](const serving::LevelResult& result) { view.End(result); },
                              .capturer = captures ? &*captures : nullptr};
  TerminalListener listener;
  return app::RunLoad(spec, arguments.objective, watch, listener);
}

Result<ExitCode> RunLoadCommand(const LoadArguments& arguments) {
  RS_ASSIGN_OR_RETURN(load::LoadSpec spec, SpecOf(arguments));
  RS_ASSIGN_OR_RETURN(const WorkFolder work, arguments.keep.empty()
                                                 ? WorkFolder::Temporary()
                                                 : WorkFolder::Named(arguments.keep, "--keep"));
  spec.folder = work.path();
  RS_ASSIGN_OR_RETURN(const auto output, Output::Open(arguments.output));
  Result<ServingReport> report = [&] {
    const InterruptFlag interrupted;
    return Measure(spec, arguments, interrupted);
  }();
  if (!report.ok()) return report.status();
  RS_RETURN_IF_ERROR(output->Write(WriteLoad(*report, arguments)));
  RS_RETURN_IF_ERROR(output->Finish());
  if (HasNoAnswer(*report)) {
    Tell("no request was answered");
    return kCouldNot;
  }
  const std::string why = WhyInvalid(*report);
  if (why.empty()) return kDone;
  Tell(fmt::format("the run is invalid: {}", why));
  return kCouldNot;
}

void AddWhen(CommandSpec& command, LoadArguments& arguments) {
  command
      .AddOption("--rate", arguments.rates,
                 "requests a second, whatever the server does; several: one level after the other")
      .Separator(',')
      .Type("RATE");
  command.AddOption("--ramp", arguments.ramp, "a rate that changes evenly, such as 1-20")
      .Type("FROM-TO");
  command
      .AddOption("--users", arguments.users,
                 "so many at once, each with one request after the other; several: levels")
      .Separator(',');
  CommandOption& replay =
      command
          .AddOption("--replay", arguments.spec.replay,
                     "a recorded trace of requests: Azure, Mooncake, BurstGPT, Vidur")
          .Type(kFileType);
  command.AddOption("--speed", arguments.spec.replay_speed, "of the trace: 2 is twice as fast")
      .Positive()
      .ShowDefault()
      .Needs(replay);
  command
      .AddOption("--duration", arguments.duration,
                 "of sending, of each level; of --replay to the end of the trace")
      .Type("TIME")
      .ShowDefault()
      .TellGiven(arguments.has_duration);
  command.AddOption("--requests", arguments.requests, "a level ends after so many")
      .Range(1, 100'000'000);
  command.AddOption("--arrivals", arguments.arrivals, "how requests of a rate come")
      .OneOf({"poisson", "constant", "gamma"})
      .ShowDefault();
  command
      .AddOption("--variation", arguments.spec.variation,
                 "coefficient of variation of gamma arrivals; above 1 they come in bursts")
      .Range(0.1, 20.0)
      .ShowDefault();
  command.AddOption("--seed", arguments.spec.seed, "the same seed gives the same requests")
      .ShowDefault();
}

}  // namespace

void AddLoad(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "load", "send requests to a serving program, and say how many it serves how fast");
  auto arguments = std::make_shared<LoadArguments>();
  command
      .AddOption("URL", arguments->url,
                 "the server, such as http://127.0.0.1:8000; without --rate, "
                 "--ramp, --users and --replay the rate that it bears is "
                 "searched")
      .Required();
  AddWhen(command, *arguments);
  arguments->what.AddTo(command);
  command
      .AddOption("--slo", arguments->objective,
                 "limits that good requests keep, such as ttft=500ms,tpot=50ms,e2e=10s")
      .Type("LIMITS");
  command.AddOption("--timeout", arguments->timeout, "then a request has failed")
      .Type("TIME")
      .ShowDefault();
  command
      .AddOption("--drain", arguments->drain, "for the last answers of a level, behind its sending")
      .Type("TIME")
      .ShowDefault();
  command.AddOption("--connections", arguments->connections, "at most, at once")
      .Range(1, 1'000'000)
      .ShowDefault();
  arguments->capture.AddTo(command);
  command.AddFlag("--no-scrape", arguments->no_scrape, "do not ask for /metrics each second");
  command
      .AddOption("--keep", arguments->keep,
                 "keep the recording in this new folder: rankscope serving FOLDER reads it")
      .Type(kFolderType);
  command.AddOption("--format", arguments->format, "text, json or markdown")
      .OneOf({"text", "json", "markdown"})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write the report to this file")
      .Type(kFileType);
  command.Footer(
      "Example:\n  rankscope load http://127.0.0.1:8000 --slo ttft=500ms,tpot=50ms\n  rankscope "
      "load http://127.0.0.1:8000 --rate 1,2,4,8 --duration 60s --keep run/\n  rankscope load "
      "http://127.0.0.1:8000 --replay AzureLLMInferenceTrace_conv.csv --speed 2");
  command.SetRun(MakeActionWithCode([arguments] { return RunLoadCommand(*arguments); }));
}

}  // namespace rankscope::cli
