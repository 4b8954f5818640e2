#include "report/serving/tuning_words.h"

#include <fmt/core.h>

#include <optional>

#include "report/base/wording.h"

namespace rankscope {
namespace {

struct SoFar {
  std::size_t trials = 0;
  double now_sum = 0;
  std::size_t now_trials = 0;
  std::optional<double> best_per_s;
  std::string best;
};

SoFar SoFarOf(const ServingView& view, std::int64_t tuning) {
  const auto& rows = view.trials;
  SoFar so_far;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.Int(row, rows->tuning) != tuning) continue;
    ++so_far.trials;
    const auto good = rows.Number(row, rows->good_per_s);
    if (!good) continue;
    if (rows.Flag(row, rows->is_now)) {
      so_far.now_sum += *good;
      ++so_far.now_trials;
    } else if (!so_far.best_per_s || *good > *so_far.best_per_s) {
      so_far.best_per_s = *good;
      so_far.best = rows.String(row, rows->settings);
    }
  }
  return so_far;
}

// "Tuning vllm, 12 of 29 trials: 128 good requests a second with the settings of now, at best 155
// so far (max_num_seqs=1024)"
std::string WordsOfRunning(const ServingView& view, std::size_t row) {
  const auto& rows = view.tunings;
  const SoFar so_far = SoFarOf(view, rows.Int(row, rows->tuning).value_or(0));
  std::string text =
      fmt::format("Tuning {}, {}", rows.String(row, rows->adapter), Plural(so_far.trials, "trial"));
  if (const auto planned = rows.Int(row, rows->planned)) text += fmt::format(" of {}", *planned);
  if (so_far.now_trials > 0)
    text += fmt::format(": {:.3g} good requests a second with the settings of now",
                        so_far.now_sum / static_cast<double>(so_far.now_trials));
  if (so_far.best_per_s)
    text += fmt::format("{} at best {:.3g} so far ({})", so_far.now_trials > 0 ? "," : ":",
                        *so_far.best_per_s, so_far.best);
  return text;
}

}  // namespace

std::string TuningHeadline(const ServingView& view) {
  const auto& rows = view.tunings;
  if (rows.empty()) return "";
  const std::size_t last = rows.rows() - 1;
  if (rows.String(last, rows->state) == "running") return WordsOfRunning(view, last);
  std::string text(rows.String(last, rows->headline));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::array<std::string, 5> TrialCells(const ServingView& view, std::size_t row) {
  const auto& rows = view.trials;
  const auto good = rows.Number(row, rows->good_per_s);
  const std::string_view why = rows.String(row, rows->why);
  const std::string_view mark = rows.Flag(row, rows->is_chosen) ? "chosen"
                                : rows.Flag(row, rows->is_now)  ? "now"
                                                                : "";
  return {fmt::format("{}", rows.Int(row, rows->trial).value_or(0)),
          std::string(rows.String(row, rows->stage)),
          good ? fmt::format("{:.3g}/s", *good) : (why.empty() ? "-" : "no"), std::string(mark),
          std::string(rows.String(row, rows->settings))};
}

}  // namespace rankscope
