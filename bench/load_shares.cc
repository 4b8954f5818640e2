#include "load_shares.h"

#include <fmt/core.h>

#include "formats/kineto/reader.h"

namespace rankscope::bench {
namespace {

constexpr std::string_view kLoad = "load";

std::string NameOf(std::size_t trace, std::string_view part) {
  return fmt::format("{}/{}", trace, part);
}

}  // namespace

RankTrace Load(const std::string& path) {
  kineto::ReadOptions options;
  options.threads = 1;
  return kineto::ReadTrace(path, options).value();
}

LoadShares::LoadShares(std::vector<std::string> paths) : paths_(std::move(paths)) {
  for (const std::string& path : paths_) traces_.push_back(std::make_unique<RankTrace>(Load(path)));
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    Register(NameOf(i, kLoad),
             [path = paths_[i]] { benchmark::DoNotOptimize(Load(path).row_count()); });
  }
}

void LoadShares::Add(const std::string& part, const std::function<void(const RankTrace&)>& work) {
  for (std::size_t i = 0; i < traces_.size(); ++i)
    Register(NameOf(i, part), [work, trace = traces_[i].get()] { work(*trace); });
}

void LoadShares::Run() { RunRegistered(times_); }

void LoadShares::PrintHeader() const {
  fmt::print("CPU time on one core, median of 5; x = share of load\n{:<22}", "");
  for (const auto& trace : traces_)
    fmt::print("{:>35}",
               fmt::format("{} events, {} rows", trace->meta.event_count, trace->row_count()));
  fmt::print("\n");
  PrintLine(kLoad);
}

void LoadShares::PrintLine(std::string_view part) const {
  fmt::print("{:<22}", part);
  for (std::size_t i = 0; i < traces_.size(); ++i) {
    const double seconds = times_.CpuSeconds(NameOf(i, part));
    const double load = times_.CpuSeconds(NameOf(i, kLoad));
    const auto events = static_cast<double>(traces_[i]->meta.event_count);
    fmt::print("{:>9.1f} ms {:>6.1f} ns/event", seconds * 1e3, seconds * 1e9 / events);
    fmt::print(" {:>7}", part == kLoad ? "" : fmt::format("{:.3f} x", seconds / load));
  }
  fmt::print("\n");
}

}  // namespace rankscope::bench
