// Declared types as TypeScript interfaces.
#pragma once

#include <span>
#include <string>

#include "json/fields.h"

namespace rankscope::json {

// The text of a module that exports them and their nested types. An optional member has a question
// mark; a raw value is `unknown`. Defaults of requests without required fields are constants:
// `orderDefaults` for Order.
std::string TypeScriptOf(std::span<const FieldList* const> lists);

}  // namespace rankscope::json
