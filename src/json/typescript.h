// Declared types as interfaces of TypeScript.
#pragma once

#include <span>
#include <string>

#include "json/fields.h"

namespace rankscope::json {

// The text of a module that exports them and the types that are in them. A member that may be
// missing has a question mark; what goes through as it stands is `unknown`. Defaults of requests
// that need nothing are constants: `orderDefaults` of Order.
std::string TypeScriptOf(std::span<const FieldList* const> lists);

}  // namespace rankscope::json
