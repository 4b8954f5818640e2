#include "compare/tables.h"

#include <algorithm>

#include "schemas/diff.h"
#include "schemas/hta_diff.h"

namespace rankscope {
namespace {

template <typename T>
DiffTable Of(std::string_view summary) {
  return {T::kName, summary, &SchemaOf<T>().columns()};
}

}  // namespace

std::span<const DiffTable> DiffTables() {
  static const std::vector<DiffTable> kTables = {
      Of<DiffJob>("how long a step takes in both, and whether the change is more than noise"),
      Of<DiffNotes>("what is not the same in both beside their times: ranks, steps, devices, ..."),
      Of<DiffFindings>("which findings appeared, went or changed"),
      Of<DiffParts>("the step by what devices do: computing, exposed communication, idle by cause"),
      Of<DiffPath>("the critical path through all ranks: what decides how long the steps take"),
      Of<DiffPhases>("the step by phase: data loading, forward, backward, optimizer"),
      Of<DiffModules>("the step by the classes of the modules"),
      Of<DiffOps>("the step by op, phase and part"),
      Of<DiffHost>("host threads by the innermost op: time and calls; not part of the step's sum"),
      Of<DiffKernels>("the step by kernel, with those that have another name at the same place"),
      Of<DiffPlaces>("the step by place in the program: ops around, shapes, kernel"),
      Of<DiffCallTree>("the call trees of both, laid over each other"),
      Of<DiffRanks>("what the devices of each rank do, where both have the same ranks"),
      Of<DiffSteps>("the length of every step that counts"),
      Of<HtaTraceDiff>(
          "HTA's TraceDiff.compare_traces: events by name, of one iteration of a rank"),
      Of<HtaOpsDiff>(
          "HTA's TraceDiff.ops_diff: names that were added, deleted, or changed in count"),
  };
  return kTables;
}

const DiffTable* FindDiffTable(std::string_view name) {
  const auto tables = DiffTables();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const DiffTable& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace rankscope
