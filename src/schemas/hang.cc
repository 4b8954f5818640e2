#include "schemas/hang.h"

namespace rankscope {

template const FlightCollectives& SchemaOf<FlightCollectives>();
template const FlightMembers& SchemaOf<FlightMembers>();
template const FlightRanks& SchemaOf<FlightRanks>();
template const FlightMismatches& SchemaOf<FlightMismatches>();
template const FlightNotes& SchemaOf<FlightNotes>();

}  // namespace rankscope
