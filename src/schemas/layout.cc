#include "schemas/layout.h"

namespace rankscope {

template const Layout& SchemaOf<Layout>();
template const LayoutRanks& SchemaOf<LayoutRanks>();
template const Pipeline& SchemaOf<Pipeline>();
template const PipelineSteps& SchemaOf<PipelineSteps>();
template const PipelineSchedule& SchemaOf<PipelineSchedule>();
template const PipelinePasses& SchemaOf<PipelinePasses>();
template const ExpertLoad& SchemaOf<ExpertLoad>();
template const ExpertRanks& SchemaOf<ExpertRanks>();

}  // namespace rankscope
