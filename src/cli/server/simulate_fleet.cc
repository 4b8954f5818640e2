// `rankscope simulate-fleet`: runs of many models over days, with known truth.
#include "app/fleet/write_simulated_fleet.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"

namespace rankscope::cli {
namespace {

struct SimulateFleetArguments {
  std::string out;
  fleet::FleetSimulation simulation;
  std::vector<std::string> plants;
};

Status RunSimulateFleet(SimulateFleetArguments& arguments) {
  for (const std::string& text : arguments.plants) {
    RS_ASSIGN_OR_RETURN(fleet::Plant plant, fleet::ParsePlant(text));
    arguments.simulation.plants.push_back(std::move(plant));
  }
  TerminalListener listener;
  return app::WriteSimulatedFleet(arguments.simulation, arguments.out, listener);
}

}  // namespace

void AddSimulateFleet(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("simulate-fleet", "write the rows of a simulated fleet with known truth");
  auto arguments = std::make_shared<SimulateFleetArguments>();
  fleet::FleetSimulation& simulation = arguments->simulation;
  command.AddOption("OUT", arguments->out, "folder for the rows and truth.json")
      .Type(kFolderType)
      .Required();
  command.AddOption("--days", simulation.days, "days with runs").Range(1, 3660).ShowDefault();
  command.AddOption("--models", simulation.models, "models that are run")
      .Range(2, 1000)
      .ShowDefault();
  command.AddOption("--runs-per-day", simulation.runs_per_day, "recorded runs")
      .Range(1, 100'000)
      .ShowDefault();
  command.AddOption("--kernels", simulation.kernels, "of each model")
      .Range(19, 10'000)
      .ShowDefault();
  command.AddOption("--seed", simulation.seed, "the same seed gives the same fleet").ShowDefault();
  command.AddOption("--since", simulation.since, "the first day").Type("YYYY-MM-DD").ShowDefault();
  command
      .AddOption("--plant", arguments->plants,
                 "plant a change: regression, regression:driver, regression:framework, "
                 "regression:image, mix-shift, refactoring, new-kernel or new-shapes; repeatable")
      .OneEach();
  command.Footer(
      "Example:\n  rankscope simulate-fleet fleet/ --plant regression:driver --plant mix-shift\n  "
      "rankscope fleet regressions fleet/");
  command.SetRun(MakeAction([arguments] { return RunSimulateFleet(*arguments); }));
}

}  // namespace rankscope::cli
