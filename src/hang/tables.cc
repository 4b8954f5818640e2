#include "hang/tables.h"

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

}  // namespace rankscope
