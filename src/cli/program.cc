#include "cli/program.h"

#include <string_view>
#include <vector>

#include "cli/base/command.h"

namespace rankscope::cli {
namespace {

struct Group {
  std::string_view title;
  std::vector<void (*)(CommandSpec&)> commands;
};

}  // namespace

void DeclareCommands(CommandSpec& program) {
  const Group groups[] = {
      {"Look at a job",
       {AddRecord, AddAnalyze, AddTop, AddTable, AddList, AddQuery, AddExplain, AddMemory, AddHang,
        AddMcp}},
      {"Look at a server", {AddServing, AddLoad, AddTune, AddSimulateServer}},
      {"Look at a post-training run", {AddPostTraining}},
      {"Compare, predict and mend", {AddDiff, AddWhatIf, AddFix, AddRerun, AddSimulate}},
      {"Traces", {AddTrace}},
      {"Server and fleet",
       {AddServe, AddWorker, AddShard, AddPush, AddCapture, AddProbe, AddStore, AddFleet,
        AddSimulateFleet, AddCapacity, AddToken, AddAudit, AddCerts}},
      {"Shell", {AddCompletion, AddManual}}};
  for (const Group& group : groups) {
    for (const auto add : group.commands) {
      add(program);
      program.commands.back().group = group.title;
    }
  }
}

}  // namespace rankscope::cli
