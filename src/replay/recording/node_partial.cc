#include "replay/recording/node_partial.h"

namespace rankscope {

template const NodeKindPartial& SchemaOf<NodeKindPartial>();
template const NodeSitePartial& SchemaOf<NodeSitePartial>();
template const NodePartial& SchemaOf<NodePartial>();
template const NodeEdgePartial& SchemaOf<NodeEdgePartial>();
template const NodeStepPartial& SchemaOf<NodeStepPartial>();

}  // namespace rankscope
