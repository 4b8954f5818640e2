#include "hang/tables.h"

#include <algorithm>

#include "schemas/hang.h"

namespace rankscope {
namespace {

template <typename T>
HangTable Of(std::string_view summary) {
  return {T::kName, summary, &SchemaOf<T>().columns()};
}

}  // namespace

std::span<const HangTable> HangTableList() {
  static const std::vector<HangTable> kTables = {
      Of<FlightCollectives>("calls that have not ended, and why; where to look first comes first"),
      Of<FlightMembers>("how each rank stands to each of these calls"),
      Of<FlightRanks>("where each rank stands and what it called last"),
      Of<FlightMismatches>("the first call of each process group that is not the same on all"),
      Of<FlightNotes>("what the dumps do not say, or say oddly"),
  };
  return kTables;
}

const HangTable* FindHangTable(std::string_view name) {
  const auto tables = HangTableList();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const HangTable& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace rankscope
