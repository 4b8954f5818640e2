#include "schemas/snapshot.h"

namespace rankscope {

template const SnapshotSummary& SchemaOf<SnapshotSummary>();
template const SnapshotTimeline& SchemaOf<SnapshotTimeline>();
template const SnapshotStackNames& SchemaOf<SnapshotStackNames>();
template const SnapshotCategoryNames& SchemaOf<SnapshotCategoryNames>();
template const SnapshotPeak& SchemaOf<SnapshotPeak>();
template const SnapshotSegments& SchemaOf<SnapshotSegments>();
template const SnapshotFragmentation& SchemaOf<SnapshotFragmentation>();
template const SnapshotOom& SchemaOf<SnapshotOom>();
template const SnapshotLeaks& SchemaOf<SnapshotLeaks>();
template const SnapshotAllocations& SchemaOf<SnapshotAllocations>();
template const SnapshotBlocks& SchemaOf<SnapshotBlocks>();
template const TimelineCategories& SchemaOf<TimelineCategories>();
template const HtaMemoryTimeline& SchemaOf<HtaMemoryTimeline>();

}  // namespace rankscope
