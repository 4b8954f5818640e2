#include "schemas/across.h"

namespace rankscope {

template const ExposedByGroup& SchemaOf<ExposedByGroup>();
template const Clocks& SchemaOf<Clocks>();
template const CollectiveRanks& SchemaOf<CollectiveRanks>();
template const ExposedCommunication& SchemaOf<ExposedCommunication>();
template const ExposedByRank& SchemaOf<ExposedByRank>();
template const PointToPointMembers& SchemaOf<PointToPointMembers>();
template const CollectiveSizes& SchemaOf<CollectiveSizes>();
template const AllToAll& SchemaOf<AllToAll>();
template const CollectiveMembers& SchemaOf<CollectiveMembers>();

}  // namespace rankscope
