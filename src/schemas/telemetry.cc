#include "schemas/telemetry.h"

namespace rankscope {

template const TelemetrySamples& SchemaOf<TelemetrySamples>();
template const TelemetryByRank& SchemaOf<TelemetryByRank>();

}  // namespace rankscope
