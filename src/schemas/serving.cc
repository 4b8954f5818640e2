#include "schemas/serving.h"

namespace rankscope {

template const ServingSources& SchemaOf<ServingSources>();
template const ServingRequests& SchemaOf<ServingRequests>();
template const ServingOverTime& SchemaOf<ServingOverTime>();
template const ServingStages& SchemaOf<ServingStages>();
template const ServingMethods& SchemaOf<ServingMethods>();
template const ServingTail& SchemaOf<ServingTail>();
template const ServingLittle& SchemaOf<ServingLittle>();
template const ServingLevels& SchemaOf<ServingLevels>();
template const ServingBatches& SchemaOf<ServingBatches>();
template const ServingBatchSizes& SchemaOf<ServingBatchSizes>();
template const ServingIterations& SchemaOf<ServingIterations>();
template const ServingLoad& SchemaOf<ServingLoad>();
template const ServingMetrics& SchemaOf<ServingMetrics>();
template const ServingFindings& SchemaOf<ServingFindings>();
template const ServingGoodput& SchemaOf<ServingGoodput>();
template const ServingEnergy& SchemaOf<ServingEnergy>();
template const ServingTunings& SchemaOf<ServingTunings>();
template const ServingTrials& SchemaOf<ServingTrials>();
template const ServingNotes& SchemaOf<ServingNotes>();

}  // namespace rankscope
