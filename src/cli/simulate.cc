#include "sim/simulate.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/progress.h"

namespace rankscope::cli {
namespace {

Status Run(const sim::SimulateOptions& options) {
  ProgressLine line;
  const auto total = static_cast<std::uint64_t>(options.ranks);
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  RS_RETURN_IF_ERROR(sim::Simulate(options, [&](const sim::SimulateProgress& progress) {
    events = progress.events;
    bytes = progress.text_bytes;
    const auto written = static_cast<std::uint64_t>(progress.ranks_written);
    line.Update(fmt::format("writing rank {} of {}", written, total), bytes,
                written == 0 ? 0 : bytes / written * total);
  }));
  fmt::print(stderr, "{}: {} ranks, {} events, {} bytes of JSON\n", options.out_folder,
             options.ranks, events, bytes);
  return OkStatus();
}

}  // namespace

void AddSimulate(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "simulate", "write the traces of a simulated training job with known truth");
  auto options = std::make_shared<sim::SimulateOptions>();
  auto offset_us = std::make_shared<double>(0);
  auto plain = std::make_shared<bool>(false);
  command->add_option("OUT", options->out_folder, "folder for the traces and truth.json")
      ->required();
  command->add_option("--ranks", options->ranks, "number of ranks")->capture_default_str();
  command->add_option("--steps", options->steps, "steps per rank")->capture_default_str();
  command->add_option("--events", options->events_per_rank, "events per rank, met within 10 %")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "the same seed gives the same job")
      ->capture_default_str();
  command->add_option("--clock-offset-us", *offset_us, "let each rank's clock be off by up to this")
      ->check(CLI::Range(0.0, 1e9));
  command->add_option("--slow-rank", options->slow_rank, "this rank's device computes slower");
  command->add_option("--slow-factor", options->slow_factor, "how much slower")
      ->capture_default_str();
  command->add_option("--jobs,-j", options->threads, "threads to use (default: one per core)");
  command->add_flag("--plain", *plain, "write .json instead of .json.gz");
  command->footer("Example:\n  rankscope simulate demo/ --ranks 8 --steps 5 --slow-rank 3");
  command->callback([&action, options, offset_us, plain] {
    action = MakeAction([options, offset_us, plain] {
      options->compress = !*plain;
      options->clock_offset_max_ns = static_cast<std::int64_t>(*offset_us * 1000);
      return Run(*options);
    });
  });
}

}  // namespace rankscope::cli
