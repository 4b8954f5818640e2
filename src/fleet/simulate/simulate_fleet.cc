#include "fleet/simulate/simulate_fleet.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "fleet/rows/kernel_key.h"
#include "fleet/simulate/fleet_model.h"
#include "json/writer.h"
#include "schemas/captures.h"
#include "schemas/device.h"
#include "schemas/findings.h"
#include "schemas/kernels.h"
#include "schemas/roofline.h"
#include "schemas/steps.h"
#include "statistics/duration_buckets.h"
#include "table/or_null.h"

namespace rankscope::fleet {
namespace {

constexpr std::int64_t kNsPerDay = 86'400'000'000'000;
constexpr std::int64_t kRanks = 8;
constexpr std::int64_t kSteps = 5;
constexpr std::int64_t kHosts = 16;
constexpr double kA100Slower = 1.9;
// What differs from run to run (clocks, temperature), and from launch to launch.
constexpr double kRunSpread = 0.006;
constexpr double kLaunchSpread = 0.06;
constexpr int kSamples = 24;
constexpr double kLogisticScale = 0.5513;  // sqrt(3) / pi: of a standard deviation of 1

std::optional<std::int64_t> FirstNs(const std::string& day) {
  std::tm parts{};
  int end = 0;
  if (std::sscanf(day.c_str(), "%4d-%2d-%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                  &end) != 3 ||
      end != 10 || day.size() != 10)
    return std::nullopt;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const std::time_t seconds = timegm(&parts);
  if (seconds <= 0 || DayOf(seconds * 1'000'000'000) != day) return std::nullopt;
  return seconds * 1'000'000'000;
}

// A run's labels and kernels before they become tables.
struct SimulatedRun {
  std::int64_t day = 0, number = 0, start_ns = 0;
  std::size_t model = 0;
  bool is_a100 = false;
  std::string driver = "550.54.15", framework = "PyTorch 2.8", image = "img-41", host;
};

class Simulator {
 public:
  Simulator(const FleetSimulation& options, std::int64_t first_ns)
      : options_(options),
        first_ns_(first_ns),
        dice_(options.seed),
        fleet_(MakeFleet(options, dice_)) {}

  Status AddDay(std::int64_t day, FleetRows& rows) {
    for (std::int64_t i = 0; i < options_.runs_per_day; ++i)
      RS_RETURN_IF_ERROR(AddRunOf(day, i, rows));
    return OkStatus();
  }

  std::string Truth() const;

 private:
  // By the models' shares; behind a shift of the mixture the first model hardly runs any more.
  std::size_t ChooseModel(std::int64_t day) {
    double all = 0;
    const auto share = [&](std::size_t i) {
      double of = fleet_.models[i].share;
      for (const Planted& planted : fleet_.plants) {
        if (planted.plant.kind != PlantKind::kMixShift || day < planted.day) continue;
        of *= i % 2 == 0 ? 0.15 : 3;
      }
      return of;
    };
    for (std::size_t i = 0; i < fleet_.models.size(); ++i) all += share(i);
    double place = dice_.Uniform() * all;
    for (std::size_t i = 0; i < fleet_.models.size(); ++i) {
      place -= share(i);
      if (place < 0) return i;
    }
    return fleet_.models.size() - 1;
  }

  // New values reach all runs within two days.
  void TakeRollouts(SimulatedRun& run) {
    for (const Planted& planted : fleet_.plants) {
      if (planted.plant.kind != PlantKind::kRegression || run.day < planted.day) continue;
      if (run.day < planted.day + 2 && dice_.Uniform() < 0.5) continue;
      (planted.plant.cause == "driver"  ? run.driver
       : planted.plant.cause == "image" ? run.image
                                        : run.framework) = planted.new_value;
    }
  }

  bool IsStruck(const SimulatedRun& run, const Planted& planted) const {
    const std::string& value = planted.plant.cause == "driver"  ? run.driver
                               : planted.plant.cause == "image" ? run.image
                                                                : run.framework;
    return planted.plant.kind == PlantKind::kRegression && !run.is_a100 &&
           value == planted.new_value;
  }

  // How many times as large the inputs of the run's model are.
  double SizeOf(const SimulatedRun& run) const {
    double times = 1;
    for (const Planted& planted : fleet_.plants) {
      if (planted.plant.kind == PlantKind::kNewShapes && planted.model == run.model &&
          run.day >= planted.day)
        times *= planted.factor;
    }
    return times;
  }

  // Duration and launches of a kernel in a run; no launches: it does not run.
  std::pair<double, std::int64_t> PlantedValues(const SimulatedRun& run, std::size_t kernel) const {
    const SimulatedKernel& of = fleet_.models[run.model].kernels[kernel];
    double ns = of.ns * (run.is_a100 && of.work == "compute" ? kA100Slower : 1) * SizeOf(run);
    std::int64_t launches = of.launches;
    for (const Planted& planted : fleet_.plants) {
      if (IsStruck(run, planted) && planted.kernel == kernel) ns *= planted.factor;
      if (planted.model != run.model) continue;
      const bool is_since = run.day >= planted.day;
      if (planted.plant.kind == PlantKind::kRefactoring && is_since) {
        if (planted.kernel == kernel) ns *= planted.factor;
        if (planted.from == kernel) launches /= 2;
      }
      if (planted.plant.kind == PlantKind::kNewKernel && !is_since && planted.kernel == kernel)
        launches = 0;
    }
    return {ns, launches};
  }

  Status AddRunOf(std::int64_t day, std::int64_t number, FleetRows& rows);
  TableOf<KernelSketches> KernelsOf(const SimulatedRun& run, std::int64_t& step_ns);
  TableOf<Findings> FindingsOf(const SimulatedRun& run);

  const FleetSimulation& options_;
  std::int64_t first_ns_;
  Dice dice_;
  FleetModel fleet_;
};

TableOf<KernelSketches> Simulator::KernelsOf(const SimulatedRun& run, std::int64_t& step_ns) {
  const auto& columns = SchemaOf<KernelSketches>();
  auto table = columns.NewTable(std::string(KernelSketches::kName));
  const SimulatedModel& model = fleet_.models[run.model];
  for (std::size_t i = 0; i < model.kernels.size(); ++i) {
    const SimulatedKernel& kernel = model.kernels[i];
    const auto [median, launches] = PlantedValues(run, i);
    if (launches == 0) continue;
    const double of_run = median * dice_.LogNormal(kRunSpread);
    const std::int64_t count = launches * kRanks * kSteps;
    DurationBuckets buckets;
    std::int64_t total = 0, shortest = INT64_MAX, longest = 0, left = count;
    for (int sample = 0; sample < kSamples && left > 0; ++sample) {
      const std::int64_t times =
          sample + 1 == kSamples ? left : std::min(left, count / kSamples + 1);
      // Spread evenly over a logistic distribution of logarithms: a run has thousands of launches,
      // so its median is hardly a matter of chance.
      const double part = (sample + 0.25 + 0.5 * dice_.Uniform()) / kSamples;
      const double away = kLaunchSpread * kLogisticScale * std::log(part / (1 - part));
      const auto ns = static_cast<std::int64_t>(of_run * std::exp(away));
      buckets.Add(ns, times);
      total += ns * times;
      shortest = std::min(shortest, ns);
      longest = std::max(longest, ns);
      left -= times;
    }
    step_ns += total / (kRanks * kSteps);
    std::string name = kernel.name;
    if (name.ends_with("#")) name.replace(name.size() - 1, 1, std::to_string(dice_.Below(40)));
    const std::string sketch = buckets.Encode();
    const double gflop = kernel.gflop * SizeOf(run);
    const std::string size =
        gflop > 0 ? fmt::format("{:.2g} GFLOP, {:.2g} MB", gflop, gflop / 2) : "";
    table.Add({columns.name = name, columns.class_ = kernel.kernel_class,
               columns.work = kernel.work, columns.size = TextOrNull(size), columns.ranks = kRanks,
               columns.count = count, columns.total_ns = total, columns.min_ns = shortest,
               columns.max_ns = longest, columns.sketch = sketch});
  }
  return table;
}

// Causes of slowness that some models have, by chance in a run.
TableOf<Findings> Simulator::FindingsOf(const SimulatedRun& run) {
  static constexpr std::string_view kIds[] = {"host-sync", "data-starvation", "launch-bound",
                                              "exposed-communication"};
  const auto& columns = SchemaOf<Findings>();
  auto table = columns.NewTable(std::string(Findings::kName));
  for (std::size_t i = 0; i < std::size(kIds); ++i) {
    if ((run.model + i) % 3 != 0 || dice_.Uniform() > 0.7) continue;
    const double gain = 1 + 12 * dice_.Uniform();
    table.Add({columns.id = kIds[i],
               columns.severity = gain >= 10  ? "high"
                                  : gain >= 3 ? "medium"
                                              : "low",
               columns.gain_pct = gain, columns.gain_method = "replay"});
  }
  return table;
}

TableOf<Roofline> RooflineOf() {
  const auto& columns = SchemaOf<Roofline>();
  auto table = columns.NewTable(std::string(Roofline::kName));
  for (const auto& [family, bound] : {std::pair("matmul", "compute"),
                                      {"attention", "compute"},
                                      {"elementwise", "memory"},
                                      {"normalisation", "memory"}})
    table.Add({columns.family = family, columns.bound = bound, columns.device_ns = 1'000'000});
  return table;
}

Status Simulator::AddRunOf(std::int64_t day, std::int64_t number, FleetRows& rows) {
  SimulatedRun run{.day = day, .number = number};
  run.start_ns = first_ns_ + day * kNsPerDay + number * kNsPerDay / options_.runs_per_day +
                 dice_.Below(1'000'000'000);
  run.model = ChooseModel(day);
  run.is_a100 = dice_.Uniform() < 0.25;
  run.host = fmt::format("node{:02}", dice_.Below(kHosts));
  TakeRollouts(run);
  std::int64_t step_ns = 0;
  const TableOf<KernelSketches> kernels = KernelsOf(run, step_ns);
  const TableOf<Findings> findings = FindingsOf(run);
  static const TableOf<Roofline> kRoofline = RooflineOf();
  const char* device = run.is_a100 ? "NVIDIA A100-SXM4-80GB" : "NVIDIA H100 80GB HBM3";
  const std::int64_t wall_ns = step_ns + step_ns / 8;

  const auto& of_captures = SchemaOf<Captures>();
  auto captures = of_captures.NewTable(std::string(Captures::kName));
  const auto& of_utilisation = SchemaOf<Utilisation>();
  auto utilisation = of_utilisation.NewTable(std::string(Utilisation::kName));
  for (std::int64_t rank = 0; rank < kRanks; ++rank) {
    captures.Add({of_captures.rank = rank, of_captures.analysed = true, of_captures.host = run.host,
                  of_captures.device = device});
    utilisation.Add({of_utilisation.rank = rank, of_utilisation.duration_ns = wall_ns * kSteps,
                     of_utilisation.busy_ns = step_ns * kSteps});
  }
  const auto& of_steps = SchemaOf<JobSteps>();
  auto steps = of_steps.NewTable(std::string(JobSteps::kName));
  for (std::int64_t step = 0; step < kSteps; ++step)
    steps.Add({of_steps.step = step, of_steps.duration_ns = wall_ns});

  const SimulatedModel& model = fleet_.models[run.model];
  RunInput input{.id = fmt::format("{:016x}", dice_.Next()),
                 .name = fmt::format("{}-run{}", model.name, number),
                 .user = fmt::format("user-{}", dice_.Below(9)),
                 .team = model.team,
                 .model = model.name,
                 .framework = run.framework,
                 .tags = {{"driver", run.driver},
                          {"image", run.image},
                          {"job", fmt::format("{}-{}", model.name, day / 3 * 4 + number % 4)}},
                 .world_size = kRanks,
                 .added_s = run.start_ns / 1'000'000'000,
                 .content = "simulated",
                 .origin_ns = run.start_ns,
                 .step_ns = static_cast<double>(wall_ns),
                 .bottleneck = "gpu-compute",
                 .kernel_sketches = &kernels,
                 .roofline = &kRoofline,
                 .captures = &captures,
                 .utilisation = &utilisation,
                 .job_steps = &steps,
                 .findings = &findings};
  // One run in ten does not say what it was given.
  const double hours = 8 + 500 * dice_.Uniform();
  if (dice_.Uniform() >= 0.1) input.tags["device_hours"] = fmt::format("{:.2f}", hours);
  return AddRun(input, rows);
}

std::string_view WordOf(PlantKind kind) {
  switch (kind) {
    case PlantKind::kRegression:
      return "regression";
    case PlantKind::kMixShift:
      return "mix-shift";
    case PlantKind::kRefactoring:
      return "refactoring";
    case PlantKind::kNewShapes:
      return "new-shapes";
    case PlantKind::kNewKernel:
      break;
  }
  return "new-kernel";
}

std::string Simulator::Truth() const {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject()
      .TextMember("schema", "rankscope.fleet-truth/1")
      .Member("seed", options_.seed)
      .Member("days", options_.days)
      .Member("runs", options_.days * options_.runs_per_day);
  writer.Key("plants").BeginArray();
  for (const Planted& planted : fleet_.plants) {
    const bool is_regression = planted.plant.kind == PlantKind::kRegression;
    std::string name = planted.kernel_name;
    if (name.ends_with("#")) name.replace(name.size() - 1, 1, "1");
    writer.BeginObject().TextMember("kind", WordOf(planted.plant.kind));
    writer.TextMember("kernel_key", KernelKey(name, "compute"));
    writer.TextMember("model", is_regression || planted.plant.kind == PlantKind::kMixShift
                                   ? ""
                                   : fleet_.models[planted.model].name);
    writer.TextMember("since", DayOf(first_ns_ + planted.day * kNsPerDay));
    writer.Member("change_pct", 100 * (planted.factor - 1));
    writer.TextMember("cause", is_regression ? fmt::format("{} {} -> {}", planted.plant.cause,
                                                           planted.old_value, planted.new_value)
                                             : "");
    writer.EndObject();
  }
  writer.EndArray().EndObject();
  return text + "\n";
}

}  // namespace

Result<Plant> ParsePlant(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  for (const PlantKind one : {PlantKind::kRegression, PlantKind::kMixShift, PlantKind::kRefactoring,
                              PlantKind::kNewKernel, PlantKind::kNewShapes}) {
    if (kind != WordOf(one)) continue;
    Plant plant{.kind = one};
    if (colon == std::string_view::npos) return plant;
    plant.cause = std::string(text.substr(colon + 1));
    const bool is_known =
        plant.cause == "driver" || plant.cause == "framework" || plant.cause == "image";
    if (one == PlantKind::kRegression && is_known) return plant;
    break;
  }
  return Error(StatusCode::kInvalidArgument,
               "--plant {}: regression, regression:driver, regression:framework, regression:image, "
               "mix-shift, refactoring, new-kernel or new-shapes",
               std::string(text));
}

Result<std::string> SimulateFleet(
    const FleetSimulation& options,
    const std::function<Status(const std::string& day, const FleetRows& rows)>& take) {
  const auto first = FirstNs(options.since);
  if (!first) {
    return Error(StatusCode::kInvalidArgument,
                 "--since {}: a day is YYYY-MM-DD, such as 2026-07-01", options.since);
  }
  if (options.days < 1 || options.models < 2 || options.runs_per_day < 1 || options.kernels < 19)
    return Error(StatusCode::kInvalidArgument,
                 "a fleet has a day, a run, two models and 19 kernels of each, or more");
  Simulator simulator(options, *first);
  for (std::int64_t day = 0; day < options.days; ++day) {
    FleetRows rows;
    RS_RETURN_IF_ERROR(simulator.AddDay(day, rows));
    RS_RETURN_IF_ERROR(take(DayOf(*first + day * kNsPerDay), rows));
  }
  return simulator.Truth();
}

}  // namespace rankscope::fleet
