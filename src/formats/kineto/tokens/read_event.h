// ReadEvent: reads an event's fields with simdjson's On-Demand API. For parsers; code that only
// uses the fields includes raw_event.h, which compiles fast.
#pragma once

#include <simdjson.h>

#include "formats/kineto/tokens/raw_event.h"

namespace rankscope::kineto {

// Reads one event and overwrites `event`. Unknown keys are skipped; the last of repeated keys
// counts. Tokens stay valid as long as the text. Any error means that the surrounding text is not
// JSON.
simdjson::error_code ReadEvent(simdjson::ondemand::object& object, RawEvent& event);

}  // namespace rankscope::kineto
