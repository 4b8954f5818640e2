#include "tune/run/plan.h"

#include <fmt/format.h>

#include <cmath>

#include "base/shell_words.h"
#include "report/base/text_lines.h"
#include "table/human_number.h"
#include "tune/adapter/fill.h"
#include "tune/run/words.h"
#include "tune/search/optimiser.h"
#include "tune/subject/lease.h"

namespace rankscope::tune {
namespace {

std::string LoadWords(const TuneSpec& spec) {
  switch (spec.mode) {
    case LoadMode::kRamp:
      return spec.per_s > 0
                 ? fmt::format("a rate that rises from 0 to {:.3g} requests a second", spec.per_s)
                 : "a rate that rises from 0 to 2.5 times what the server bears now, which the "
                   "diagnosis finds out";
    case LoadMode::kRate:
      return fmt::format("{:.3g} requests a second", spec.per_s);
    case LoadMode::kUsers:
      return fmt::format("{} requests at once", spec.users);
    case LoadMode::kReplay:
      return "the recorded trace " + spec.load.replay;
  }
  return "";
}

}  // namespace

Status CheckSpec(const TuneSpec& spec) {
  const auto wrong = [](std::string sentence) {
    return Status(StatusCode::kInvalidArgument, std::move(sentence));
  };
  const bool is_closed = spec.mode == LoadMode::kUsers;
  if (!spec.load.objective.has_any() && !is_closed)
    return wrong(
        "what is good enough? Say --slo, such as ttft=1s,tpot=50ms, or --users N for the most that "
        "the server does");
  if (!spec.adapter.trial && !spec.tries_service)
    return wrong(fmt::format(
        "{} has no [trial], so that every trial would change {} itself, and load it: --on-service "
        "says that this may be",
        spec.adapter.source, spec.adapter.service->url));
  if (spec.applies && !spec.adapter.service)
    return wrong(fmt::format("{} has no [service]: there is nothing to apply anything to",
                             spec.adapter.source));
  if (spec.trials - 1 < OptimiserOptions::kLeastTrials ||
      spec.trials - 1 > OptimiserOptions::kMostTrials)
    return wrong(fmt::format("--trials takes {} to {}", OptimiserOptions::kLeastTrials + 1,
                             OptimiserOptions::kMostTrials + 1));
  RS_ASSIGN_OR_RETURN(const Space space, SpaceOf(spec.adapter));
  // Values that are missing are seen by filling.
  Filling filling{.arguments = spec.arguments};
  filling.values = {{"rankscope", spec.program}, {"port", "1"}, {"url", "URL"}};
  const Point standard = space.Standard();
  if (const auto& trial = spec.adapter.trial) {
    RS_RETURN_IF_ERROR(FillWords(spec.adapter, standard, filling, trial->start).status());
    RS_RETURN_IF_ERROR(FillWords(spec.adapter, standard, filling, trial->live).status());
    RS_ASSIGN_OR_RETURN(const std::string url,
                        FillText(spec.adapter, standard, filling, trial->url));
    RS_RETURN_IF_ERROR(http::ParseAddress(url).status());
  }
  if (const auto& service = spec.adapter.service) {
    RS_RETURN_IF_ERROR(FillText(spec.adapter, standard, filling, service->content).status());
    RS_RETURN_IF_ERROR(FillWords(spec.adapter, standard, filling, service->apply).status());
    RS_RETURN_IF_ERROR(http::ParseAddress(service->url).status());
  }
  return OkStatus();
}

Result<std::string> PlanOf(const TuneSpec& spec) {
  RS_RETURN_IF_ERROR(CheckSpec(spec));
  RS_ASSIGN_OR_RETURN(const Space space, SpaceOf(spec.adapter));
  Filling filling{.arguments = spec.arguments};
  filling.values = {{"rankscope", "rankscope"}, {"port", "PORT"}, {"url", "URL"}};
  std::string out = fmt::format("PLAN of tuning {} (nothing is started)\n", spec.adapter.name);
  if (spec.adapter.trial) {
    RS_ASSIGN_OR_RETURN(const auto words, FillWords(spec.adapter, space.Standard(), filling,
                                                    spec.adapter.trial->start));
    AppendWrapped(
        out, "  Trials  ",
        fmt::format("{} runs of a server of its own: {}", spec.trials, ShellWords(words)));
  } else {
    AppendWrapped(
        out, "  Trials  ",
        fmt::format("{} runs of the service {} itself, whose settings change for each, and "
                    "which gets its old ones back in the end",
                    spec.trials, spec.adapter.service->url));
  }
  AppendWrapped(out, "  Load    ",
                fmt::format("{}, {} a trial", LoadWords(spec),
                            HumanDuration(static_cast<double>(spec.duration))));
  const std::string limits = LimitWords(spec.load.objective);
  AppendWrapped(out, "  Goal    ",
                fmt::format("most requests a second {}; at most 1% may fail",
                            limits.empty() ? "that are answered" : limits));
  out += "  Parameters\n";
  for (const Knob& knob : spec.adapter.knobs)
    AppendWrapped(out, "    - ",
                  fmt::format("{}: {}{}", knob.parameter.name, RangeWords(knob.parameter),
                              knob.needs_restart ? "" : "; without a restart"));
  AppendWrapped(out, "  ",
                "Which of these are searched follows from what the diagnosis finds; where it finds "
                "nothing that speaks for any, all are.");
  // The diagnosis has up to 14 levels of half a trial where rates are searched.
  const double trials = spec.trials + (spec.mode == LoadMode::kRamp ? 8 : 0);
  AppendWrapped(
      out, "  Time    ",
      fmt::format("about {:.0f} min of sending; starts of the server and last answers come on "
                  "top",
                  std::ceil(static_cast<double>(spec.duration) * trials / 60e9)));
  if (!spec.applies) {
    AppendWrapped(out, "  Then    ",
                  spec.adapter.service && spec.adapter.trial
                      ? fmt::format("a report; {} stays as it is (--apply changes it)",
                                    spec.adapter.service->url)
                      : "a report");
    return out;
  }
  const Service& service = *spec.adapter.service;
  RS_ASSIGN_OR_RETURN(const std::string lease, LeaseFolderOf(service.url, service.file));
  std::string change;
  if (!service.file.empty()) change = service.file + " is written anew";
  if (!service.apply.empty()) {
    RS_ASSIGN_OR_RETURN(const auto words,
                        FillWords(spec.adapter, space.Standard(), filling, service.apply));
    change += (change.empty() ? "" : ", then ") + ShellWords(words);
  }
  AppendWrapped(
      out, "  Then    ",
      fmt::format("where something better is found, {} gets it: {}", service.url, change));
  AppendWrapped(
      out, "  Canary  ",
      fmt::format(
          "{}, with {} requests a second of rankscope's own; the old settings come "
          "back where it does not answer, requests fail, fewer are good than "
          "before, or this program ends",
          HumanDuration(static_cast<double>(spec.canary)),
          spec.canary_per_s ? fmt::format("{:.3g}", *spec.canary_per_s) : "a tenth of the borne"));
  AppendWrapped(out, "  Lease   ", "the old settings lie in " + lease);
  return out;
}

}  // namespace rankscope::tune
