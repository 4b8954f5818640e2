// ReadEvent: an event's fields by simdjson's On-Demand API. For those that parse; who looks at
// fields alone includes raw_event.h, which is cheap to compile.
#pragma once

#include <simdjson.h>

#include "formats/kineto/tokens/raw_event.h"

namespace rankscope::kineto {

// Reads one event over what `event` held; unknown keys are skipped, of a key that occurs twice the
// last counts. The tokens stay valid as long as the text. Any error means that the text around is
// not JSON.
simdjson::error_code ReadEvent(simdjson::ondemand::object& object, RawEvent& event);

}  // namespace rankscope::kineto
