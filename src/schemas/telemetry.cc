#include "schemas/telemetry.h"

namespace rankscope {

template const TelemetrySamples& SchemaOf<TelemetrySamples>();
template const TelemetryByRank& SchemaOf<TelemetryByRank>();
template const Energy& SchemaOf<Energy>();

}  // namespace rankscope
