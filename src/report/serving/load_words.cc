#include "report/serving/load_words.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "base/text.h"
#include "report/base/wording.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

constexpr double kClearlyLonger = 1.2;

std::string LevelTime(std::optional<double> ns) { return ns ? HumanDuration(*ns) : "-"; }
std::string PerSecond(std::optional<double> value) {
  return value ? HumanDecimal(*value) + "/s" : "-";
}
// Requests inside: hundredths say nothing below one.
std::string Inside(std::optional<double> value) {
  return value ? HumanDecimal(std::round(*value * 100) / 100) : "-";
}

std::string Asked(const ServingView& view, std::size_t row) {
  const auto& rows = view.levels;
  if (const auto users = rows.Int(row, rows->users))
    return fmt::format("{} user{}", *users, *users == 1 ? "" : "s");
  const auto rate = rows.Number(row, rows->target_per_s), end = rows.Number(row, rows->end_per_s);
  if (rate && end) return fmt::format("{}-{}/s", HumanDecimal(*rate), HumanDecimal(*end));
  if (rate) return HumanDecimal(*rate) + "/s";
  return std::string(rows.String(row, rows->arrivals));
}

// "at 6.2 a second", "with 16 users".
std::string AtLevel(const ServingView& view, std::size_t row) {
  const auto& rows = view.levels;
  if (rows.Int(row, rows->users)) return "with " + Asked(view, row);
  if (const auto rate = rows.Number(row, rows->target_per_s);
      rate && !rows.Number(row, rows->end_per_s))
    return fmt::format("at {} a second", HumanDecimal(*rate));
  return "at " + Asked(view, row);
}

std::optional<std::size_t> Marked(const ServingView& view, std::string_view mark) {
  for (std::size_t row = 0; row < view.levels.rows(); ++row)
    if (Contains(view.levels.String(row, view.levels->marks), mark)) return row;
  return std::nullopt;
}

// What the server does not bear, in a word; "" of a level that it does.
std::string_view Beyond(const ServingView& view, std::size_t row) {
  const std::string_view state = view.levels.String(row, view.levels->state);
  if (state == "overload") return "it is overloaded";
  if (state == "failing") return "over 5% of them fail";
  return "";
}

bool HasObjective(const ServingView& view) {
  for (std::size_t row = 0; row < view.levels.rows(); ++row)
    if (view.levels.Number(row, view.levels->good_pct)) return true;
  return false;
}

std::string Limits(const ServingView& view) {
  std::string text;
  const auto& rows = view.goodput;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string_view name = rows.String(row, rows->objective);
    if (name == "all") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        name == "ttft"   ? "TTFT"
                        : name == "tpot" ? "TPOT"
                                         : "e2e",
                        LevelTime(rows.Number(row, rows->limit_ns)));
  }
  return text;
}

std::string Rate(const ServingView& view, std::size_t row) {
  return HumanDecimal(view.levels.Number(row, view.levels->target_per_s).value_or(0));
}

// Levels that say nothing of the server: whether it serves them is unknown.
std::size_t LevelsWithoutVerdict(const ServingView& view) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < view.levels.rows(); ++row)
    count += view.levels.String(row, view.levels->invalid).empty() ? 0 : 1;
  return count;
}

std::string WithinObjective(const ServingView& view) {
  const auto& rows = view.levels;
  const auto best = Marked(view, "objective");
  const auto broken = Marked(view, "broken");
  const std::string limits = Limits(view);
  if (best && broken)
    return fmt::format("Serves {} requests a second within {}; {} {} keep it", Rate(view, *best),
                       limits, AtLevel(view, *broken),
                       HumanPercent(*rows.Number(*broken, rows->good_pct)));
  if (best)
    return fmt::format("Serves {} requests a second within {}{}", Rate(view, *best), limits,
                       view.levels.rows() > 1 ? ", the most that was tried" : "");
  if (const std::size_t unjudged = LevelsWithoutVerdict(view); broken && unjudged > 0)
    return fmt::format("Not served within {} {}: {} keep it; {} of {} levels could not be judged",
                       limits, AtLevel(view, *broken),
                       HumanPercent(*rows.Number(*broken, rows->good_pct)), unjudged, rows.rows());
  if (broken)
    return fmt::format("No rate that was tried is served within {}: {} {} keep it", limits,
                       AtLevel(view, *broken), HumanPercent(*rows.Number(*broken, rows->good_pct)));
  return "";
}

std::string OfOpenLevels(const ServingView& view) {
  const auto overload = Marked(view, "beyond");
  auto capacity = Marked(view, "capacity");
  // One level is the highest of all without a mark.
  const bool is_one = view.levels.rows() == 1 && view.levels.String(0, view.levels->kind) == "open";
  if (is_one && !overload && !view.levels.Number(0, view.levels->end_per_s)) capacity = 0;
  if (capacity && overload)
    return fmt::format("Serves {} requests a second; at {} {}", Rate(view, *capacity),
                       Rate(view, *overload), Beyond(view, *overload));
  if (overload)
    return fmt::format("At {} requests a second {}", Rate(view, *overload),
                       Beyond(view, *overload));
  if (!capacity) return "";
  const auto& rows = view.levels;
  const bool has_tokens = rows.Number(*capacity, rows->ttft_p50_ns).has_value();
  return fmt::format(
      "Serves {} requests a second, {}: {} p50 {}, p99 {}", Rate(view, *capacity),
      rows.rows() > 1 ? "the most that was tried" : "as asked", has_tokens ? "TTFT" : "e2e",
      LevelTime(rows.Number(*capacity, has_tokens ? rows->ttft_p50_ns : rows->e2e_p50_ns)),
      LevelTime(rows.Number(*capacity, has_tokens ? rows->ttft_p99_ns : rows->e2e_p99_ns)));
}

}  // namespace

std::string LoadHeadline(const ServingView& view) {
  const auto& rows = view.levels;
  if (rows.empty()) return "";
  std::size_t invalid = 0, first = 0;
  for (std::size_t row = rows.rows(); row-- > 0;) {
    if (rows.String(row, rows->invalid).empty()) continue;
    ++invalid;
    first = row;
  }
  if (invalid == rows.rows())
    return fmt::format("The run is invalid, and says nothing of the server: {}, {}",
                       AtLevel(view, first), rows.String(first, rows->invalid));
  std::size_t best = 0;
  const auto served = [&](std::size_t row) {
    return rows.Number(row, rows->served_per_s).value_or(0);
  };
  for (std::size_t row = 1; row < rows.rows(); ++row)
    if (Beyond(view, best).empty() == Beyond(view, row).empty() ? served(row) > served(best)
                                                                : Beyond(view, row).empty())
      best = row;
  std::int64_t sent = 0, answered = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::int64_t requests = rows.Int(row, rows->requests).value_or(0);
    sent += requests;
    answered += requests - rows.Int(row, rows->failed).value_or(0) -
                rows.Int(row, rows->unfinished).value_or(0);
  }
  if (sent > 0 && answered == 0)
    return rows.rows() == 1
               ? fmt::format("No request that was sent {} was answered", AtLevel(view, 0))
               : "No request was answered";
  const bool is_too_short = rows.rows() == 1 && rows.String(0, rows->state) == "too short";
  if (is_too_short)
    return fmt::format("{} of {} were answered {}, too few or too short a run to tell a rate",
                       answered, Plural(static_cast<std::size_t>(sent), "request"),
                       AtLevel(view, 0));
  std::string text = HasObjective(view) ? WithinObjective(view) : "";
  if (text.empty()) text = OfOpenLevels(view);
  if (!text.empty()) return text;
  // Users alone, or a trace: the level that was served most.
  return fmt::format("Serves {} requests a second {}, each in {} on average",
                     HumanDecimal(served(best)), AtLevel(view, best),
                     LevelTime(rows.Number(best, rows->e2e_mean_ns)));
}

std::string FocusWords(const ServingView& view) {
  for (std::size_t row = 0; row < view.levels.rows(); ++row)
    if (view.levels.Flag(row, view.levels->is_focus)) return AtLevel(view, row);
  return "";
}

std::array<std::string, 9> LevelCells(const ServingView& view, std::size_t row) {
  const auto& rows = view.levels;
  std::string word(rows.String(row, rows->state));
  if (!rows.String(row, rows->invalid).empty()) word = "invalid";
  if (word == "steady") {
    // There is room for one: the first tells most.
    const std::string_view marks = rows.String(row, rows->marks);
    word = marks.substr(0, marks.find(','));
  }
  const auto good = rows.Number(row, rows->good_pct);
  return {Asked(view, row),
          PerSecond(rows.Number(row, rows->served_per_s)),
          Inside(rows.Number(row, rows->inside)),
          LevelTime(rows.Number(row, rows->ttft_p50_ns)),
          LevelTime(rows.Number(row, rows->ttft_p99_ns)),
          LevelTime(rows.Number(row, rows->tpot_p50_ns)),
          LevelTime(rows.Number(row, rows->e2e_p99_ns)),
          good ? HumanPercent(*good) : "-",
          word};
}

std::vector<std::string> LevelSentences(const ServingView& view) {
  const auto& rows = view.levels;
  std::vector<std::string> sentences;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string at = AtLevel(view, row);
    if (const auto why = rows.String(row, rows->invalid); !why.empty())
      sentences.push_back(fmt::format("{} the measurement is invalid: {}", at, why));
    if (rows.Flag(row, rows->is_stall))
      sentences.push_back(fmt::format(
          "{} the server gave nothing for {}, {} after the begin{}", at,
          LevelTime(rows.Number(row, rows->silence_ns)),
          LevelTime(rows.Number(row, rows->silence_at_ns)),
          rows.String(row, rows->kind) == "closed"
              ? ": users who wait send nothing, so that few requests met it; an open rate (--rate) "
                "shows what it costs"
              : ""));
    const auto whole = rows.Number(row, rows->e2e_p99_ns),
               sent = rows.Number(row, rows->e2e_from_send_p99_ns);
    if (whole && sent && *whole > kClearlyLonger * *sent)
      sentences.push_back(
          fmt::format("{} p99 is {} from when requests were to be sent and {} from when they were: "
                      "they waited for connections",
                      at, LevelTime(whole), LevelTime(sent)));
  }
  if (const auto knee = Marked(view, "knee")) {
    const auto headroom = rows.Number(*knee, rows->headroom_pct);
    if (headroom && *headroom > 0)
      sentences.push_back(fmt::format("{} (the knee) {} of the rate that it sustains{} is free",
                                      AtLevel(view, *knee), HumanPercent(*headroom),
                                      HasObjective(view) ? " within the objective" : ""));
  }
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::string_view page = rows.String(row, rows->capture_page),
                           problem = rows.String(row, rows->capture_problem);
    if (!page.empty()) {
      sentences.push_back(fmt::format(
          "{} its processes were recorded: {} ({}{})", AtLevel(view, row), page,
          Plural(static_cast<std::size_t>(rows.Int(row, rows->capture_files).value_or(0)), "file"),
          problem.empty() ? "" : fmt::format("; {}", problem)));
    } else if (!problem.empty()) {
      sentences.push_back(fmt::format("{} there is no recording: {}", AtLevel(view, row), problem));
    }
  }
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::int64_t unfinished = rows.Int(row, rows->unfinished).value_or(0);
    if (unfinished > 0)
      sentences.push_back(fmt::format(
          "{} {} of {} had no end when waiting for it ended (--drain)", AtLevel(view, row),
          unfinished,
          Plural(static_cast<std::size_t>(rows.Int(row, rows->requests).value_or(0)), "request")));
    if (rows.Flag(row, rows->was_stopped))
      sentences.push_back(
          fmt::format("{} the run was stopped before its time", AtLevel(view, row)));
  }
  if (!view.goodput.empty() && !HasObjective(view))
    sentences.push_back(
        fmt::format("whether requests keep {} cannot be told: {}", Limits(view),
                    "the server's answers do not say all of it (TPOT needs their usage)"));
  for (std::string& sentence : sentences) sentence = AsSentence(sentence);
  return sentences;
}

}  // namespace rankscope
