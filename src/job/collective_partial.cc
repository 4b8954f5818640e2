#include "job/collective_partial.h"

#include "job/rank_work.h"

namespace rankscope {

template const CollectiveGroupPartial& SchemaOf<CollectiveGroupPartial>();
template const CollectiveEventPartial& SchemaOf<CollectiveEventPartial>();
template const ExposedPartial& SchemaOf<ExposedPartial>();

Table GroupsOfCollectives() { return SchemaOf<CollectiveGroupPartial>().NewPartial("groups"); }

Table CollectiveEvents() { return SchemaOf<CollectiveEventPartial>().NewPartial("events"); }

Table ExposedStretches() { return SchemaOf<ExposedPartial>().NewPartial("exposed"); }

std::vector<std::vector<ColumnSpec>> CollectivePartialColumns() {
  return {SchemaOf<CollectiveGroupPartial>().BareColumns(),
          SchemaOf<CollectiveEventPartial>().BareColumns(),
          SchemaOf<ExposedPartial>().BareColumns(), SchemaOf<RankWorkPartial>().BareColumns()};
}

}  // namespace rankscope
