#include "cli/serving/load_view.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/base/messages.h"
#include "table/human_number.h"

namespace rankscope::cli {
namespace {

constexpr std::size_t kSparks = 48;

std::string Rate(double value) { return HumanDecimal(std::round(value * 10) / 10) + "/s"; }

std::string Time(const std::optional<double>& ns) { return ns ? HumanDuration(*ns) : "-"; }

}  // namespace

std::string LevelWords(const load::LevelSpec& level) {
  switch (level.kind) {
    case serving::LoadKind::kClosed:
      return fmt::format("{} user{}", level.users, level.users == 1 ? "" : "s");
    case serving::LoadKind::kReplay:
      return "the recorded trace";
    case serving::LoadKind::kOpen:
      break;
  }
  if (level.end_per_s)
    return fmt::format("{} to {} requests a second", HumanDecimal(level.per_s),
                       HumanDecimal(*level.end_per_s));
  return fmt::format("{} requests a second", HumanDecimal(level.per_s));
}

std::string Sparkline(const std::deque<double>& values) {
  constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double most = 0;
  for (const double value : values) most = std::max(most, value);
  std::string text;
  for (const double value : values) {
    const auto height = most > 0 ? static_cast<std::size_t>(std::floor(value / most * 7.999)) : 0;
    text += kBlocks[std::min<std::size_t>(height, 7)];
  }
  return text;
}

LoadView::LoadView() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

LoadView::~LoadView() { Clear(); }

void LoadView::Clear() {
  if (lines_ > 0) WriteToStderr(fmt::format("\x1b[{}A\r\x1b[J", lines_));
  lines_ = 0;
}

void LoadView::Begin(const load::LevelSpec& level, std::int32_t number) {
  Entitle(fmt::format("level {}: {}", number + 1, LevelWords(level)));
}

void LoadView::Entitle(std::string title) {
  level_ = std::move(title);
  served_.clear();
}

void LoadView::Show(const load::LiveNumbers& now) {
  if (!is_terminal_) return;
  served_.push_back(now.done_per_s);
  if (served_.size() > kSparks) served_.pop_front();
  const std::string time =
      now.is_draining ? "waiting for the last answers"
      : now.is_measured
          ? "measured; the load goes on while the server's processes are recorded"
          : fmt::format("{} of {}",
                        HumanDuration(std::floor(static_cast<double>(now.elapsed) / 1e9) * 1e9),
                        HumanDuration(static_cast<double>(now.sending)));
  std::string text = fmt::format("{}  {}\n", level_, time);
  text += fmt::format("  sent {:>9}   served {:>9}   inside {:>6}   failed {:>6}\n",
                      Rate(now.begun_per_s), Rate(now.done_per_s), now.inside, now.failed);
  text += fmt::format("  TTFT {:>9}   e2e    {:>9}   tokens {:>8}/s  (medians, last 10 s)\n",
                      Time(now.first_token_ns), Time(now.e2e_ns),
                      now.tokens_per_s ? HumanDecimal(std::round(*now.tokens_per_s)) : "-");
  text += fmt::format("  served {}\n", Sparkline(served_));
  Clear();
  WriteToStderr(text);
  lines_ = static_cast<int>(std::ranges::count(text, '\n'));
}

void LoadView::End(const serving::LevelResult& result) {
  Clear();
  std::string text = fmt::format("{}: served {}", level_, Rate(result.served_per_s.value_or(0)));
  if (result.ttft)
    text += fmt::format(", TTFT p50 {} p99 {}", HumanDuration(result.ttft->p50),
                        HumanDuration(result.ttft->p99));
  if (!result.ttft && result.e2e)
    text += fmt::format(", e2e p50 {} p99 {}", HumanDuration(result.e2e->p50),
                        HumanDuration(result.e2e->p99));
  if (result.good_pct) text += fmt::format(", {} good", HumanPercent(*result.good_pct));
  if (result.failed > 0) text += fmt::format(", {} failed", result.failed);
  text += fmt::format(", {}", result.invalid.empty() ? ToString(result.state) : "invalid");
  Tell(text);
}

}  // namespace rankscope::cli
