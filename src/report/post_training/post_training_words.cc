#include "report/post_training/post_training_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/base/wording.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

std::string PhaseWords(std::string_view phase) {
  if (phase == "generate") return "generation";
  if (phase == "wait") return "waiting";
  if (phase == "train") return "training";
  if (phase == "log_prob") return "log-probabilities";
  if (phase == "reward") return "rewards and tools";
  if (phase == "sync") return "weight sync";
  if (phase == "reshard") return "resharding";
  if (phase == "checkpoint") return "checkpoints";
  if (phase == "unknown") return "what no recording tells";
  return std::string(phase);
}

std::string InHundredths(double value) { return HumanDecimal(std::round(value * 100) / 100); }

void AddLayout(const PostTrainingView& view, std::vector<PostTrainingLine>& lines) {
  const auto& rows = view.overlap;
  if (rows.empty()) return;
  const std::string_view layout = rows.String(0, rows->layout);
  std::string text = std::string(layout);
  if (const auto generate = rows.Int(0, rows->generate_gpus)) {
    if (const auto train = rows.Int(0, rows->train_gpus))
      text += fmt::format(" ({} + {} devices)", *generate, *train);
  }
  if (layout != "colocated") {
    text += fmt::format(
        ": generation {} and training {} overlap for {} of the shorter, side by side at most {}x "
        "faster",
        HumanDuration(rows.Number(0, rows->generate_ns).value_or(0)),
        HumanDuration(rows.Number(0, rows->train_ns).value_or(0)),
        HumanPercent(rows.Number(0, rows->overlap_pct).value_or(0)),
        InHundredths(rows.Number(0, rows->async_bound).value_or(1)));
  } else {
    text +=
        ": all devices generate, then all train (--generate-gpus and --train-gpus where they share "
        "none)";
  }
  if (const auto idle = rows.Number(0, rows->idle_gpu_pct))
    text += fmt::format("; {} of device time is idle by phases", HumanPercent(*idle));
  lines.push_back({"Layout", std::move(text)});
}

void AddTail(const PostTrainingView& view, std::vector<PostTrainingLine>& lines) {
  const auto& rows = view.tail;
  if (rows.empty()) return;
  double idle = 0, weight = 0, tail = 0, duration = 0, tools = 0;
  std::size_t with_tools = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double time = rows.Number(row, rows->duration_ns).value_or(0);
    const double slots = rows.Number(row, rows->slots).value_or(0) * time;
    idle += rows.Number(row, rows->idle_pct).value_or(0) * slots;
    weight += slots;
    tail += rows.Number(row, rows->tail_ns).value_or(0);
    duration += time;
    if (const auto share = rows.Number(row, rows->tools_pct)) {
      tools += *share;
      ++with_tools;
    }
  }
  if (weight <= 0) return;
  const auto count = static_cast<double>(rows.rows());
  std::string text = fmt::format(
      "{}: under half of the slots are active for the last {} of {}, {} of slot-time is idle there",
      rows.rows() == 1 ? "one batch" : fmt::format("{} batches", rows.rows()),
      HumanDuration(tail / count), HumanDuration(duration / count), HumanPercent(idle / weight));
  if (with_tools > 0)
    text += fmt::format("; tools hold slots for {} of it",
                        HumanPercent(tools / static_cast<double>(with_tools)));
  lines.push_back({"Tail", std::move(text)});
}

void AddStaleness(const PostTrainingView& view, std::vector<PostTrainingLine>& lines) {
  const auto& rows = view.staleness;
  std::string text;
  for (std::size_t row = 0; row < rows.rows() && row < 4; ++row)
    text += fmt::format("{}{} by {}", text.empty() ? "" : ", ",
                        HumanPercent(rows.Number(row, rows->share_pct).value_or(0)),
                        rows.Int(row, rows->versions).value_or(0));
  if (!text.empty()) {
    lines.push_back({"Stale", text + " versions of weights"});
    return;
  }
  double sum = 0, count = 0;
  for (std::size_t row = 0; row < view.steps.rows(); ++row) {
    if (const auto value = view.steps.Number(row, view.steps->staleness)) {
      sum += *value;
      ++count;
    }
  }
  if (count > 0)
    lines.push_back({"Stale", fmt::format("{} versions of weights on average, by the log",
                                          InHundredths(sum / count))});
}

void AddReplicas(const PostTrainingView& view, std::vector<PostTrainingLine>& lines) {
  const auto& rows = view.replicas;
  if (rows.rows() < 2) return;
  double least = 100, most = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double share = rows.Number(row, rows->share_pct).value_or(0);
    least = std::min(least, share);
    most = std::max(most, share);
  }
  lines.push_back({"Replicas", fmt::format("{} with {} to {} of the tokens", rows.rows(),
                                           HumanPercent(least), HumanPercent(most))});
}

void AddTraces(const PostTrainingView& view, std::vector<PostTrainingLine>& lines) {
  const auto& rows = view.roles;
  std::string text;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->from) != "trace") continue;
    const auto busy = rows.Number(row, rows->busy_pct);
    text += fmt::format(
        "{}{} {} ({}, steps of {})", text.empty() ? "devices busy: " : ", ",
        rows.String(row, rows->role), busy ? HumanPercent(*busy) : "unknown",
        Plural(static_cast<std::size_t>(rows.Int(row, rows->ranks).value_or(0)), "rank"),
        rows.Number(row, rows->step_ns) ? HumanDuration(*rows.Number(row, rows->step_ns))
                                        : "unknown length");
  }
  if (!text.empty()) lines.push_back({"Traces", std::move(text)});
}

void AddPadding(const PostTrainingView& view, std::vector<PostTrainingLine>& lines) {
  const auto& rows = view.padding;
  if (rows.empty()) return;
  lines.push_back(
      {"Padding", fmt::format("{} of the padded tokens of {} sequences",
                              HumanPercent(rows.Number(0, rows->padding_pct).value_or(0)),
                              GroupedInteger(rows.Int(0, rows->sequences).value_or(0)))});
}

}  // namespace

PostTrainingView::PostTrainingView(const PostTrainingReport& report)
    : findings(report.Find(PostFindings::kName)),
      roles(report.Find(PostRoles::kName)),
      phases(report.Find(PostPhases::kName)),
      overlap(report.Find(PostOverlap::kName)),
      tail(report.Find(PostTail::kName)),
      replicas(report.Find(PostReplicas::kName)),
      staleness(report.Find(PostStaleness::kName)),
      padding(report.Find(PostPadding::kName)),
      steps(report.Find(PostSteps::kName)),
      sources(report.Find(PostSources::kName)),
      notes(report.Find(PostNotes::kName)) {}

std::vector<std::string> PostTrainingView::Roles() const {
  std::vector<std::string> names;
  for (std::size_t row = 0; row < phases.rows(); ++row) {
    const std::string name(phases.String(row, phases->role));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::ptrdiff_t PostTrainingView::Phase(std::string_view role, std::string_view phase) const {
  for (std::size_t row = 0; row < phases.rows(); ++row) {
    if (phases.String(row, phases->role) == role && phases.String(row, phases->phase) == phase)
      return static_cast<std::ptrdiff_t>(row);
  }
  return -1;
}

std::string PostTrainingHeadlineOf(const PostTrainingView& view) {
  if (!view.findings.empty())
    return fmt::format("{} ({})", view.findings.String(0, view.findings->title),
                       view.findings.String(0, view.findings->id));
  std::size_t unchecked = 0;
  for (std::size_t row = 0; row < view.notes.rows(); ++row)
    unchecked += view.notes.Flag(row, view.notes->is_unchecked);
  const std::string healthy =
      unchecked == 0 ? "nothing is wrong"
                     : fmt::format("nothing is wrong of what could be looked for ({} could not)",
                                   Plural(unchecked, "cause"));
  const std::vector<std::string> roles = view.Roles();
  if (!roles.empty()) {
    const auto& rows = view.phases;
    std::ptrdiff_t most = -1;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (rows.String(row, rows->role) != roles[0] || rows.String(row, rows->phase) == "total")
        continue;
      if (most < 0 || rows.Int(row, rows->total_ns).value_or(0) >
                          rows.Int(static_cast<std::size_t>(most), rows->total_ns).value_or(0))
        most = static_cast<std::ptrdiff_t>(row);
    }
    const std::ptrdiff_t total = view.Phase(roles[0], "total");
    if (most >= 0 && total >= 0) {
      const auto row = static_cast<std::size_t>(most);
      return fmt::format(
          "A step takes {} on average, {} of it {}; {}",
          HumanDuration(rows.Number(static_cast<std::size_t>(total), rows->mean_ns).value_or(0)),
          HumanPercent(rows.Number(row, rows->share_pct).value_or(0)),
          PhaseWords(rows.String(row, rows->phase)), healthy);
    }
  }
  const std::vector<PostTrainingLine> lines = PostTrainingLines(view);
  if (lines.size() == 1 && lines[0].name == "Traces")
    return "Traces alone tell steps and how busy devices are, and no phases of a run: add its log "
           "or "
           "record; rankscope analyze reads one role's traces";
  if (!lines.empty()) return fmt::format("{}: {}; {}", lines[0].name, lines[0].text, healthy);
  return fmt::format("{} were read, and none tells a step; {}", Plural(view.sources.rows(), "file"),
                     healthy);
}

std::vector<PostTrainingLine> PostTrainingLines(const PostTrainingView& view) {
  std::vector<PostTrainingLine> lines;
  AddLayout(view, lines);
  AddTail(view, lines);
  AddReplicas(view, lines);
  AddStaleness(view, lines);
  AddPadding(view, lines);
  AddTraces(view, lines);
  return lines;
}

std::string PostTrainingGain(const PostTrainingView& view, std::size_t finding) {
  const auto& rows = view.findings;
  const auto gain = rows.Number(finding, rows->gain_pct);
  if (!gain) return fmt::format("no gain stated: {}", rows.String(finding, rows->no_gain));
  return fmt::format("gains {}{}: {}",
                     rows.String(finding, rows->gain_method) == "bound" ? "at most " : "",
                     HumanPercent(*gain), rows.String(finding, rows->gain_formula));
}

}  // namespace rankscope
