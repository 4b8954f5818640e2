// Declared types as JSON schemas, as OpenAPI's components have them, or alone.
#pragma once

#include <span>
#include <vector>

#include "json/fields.h"
#include "json/writer.h"

namespace rankscope::json {

// These and the types that are in them, each once, what is inside before what it is in.
std::vector<const FieldList*> WithNested(std::span<const FieldList* const> lists);

// {"type":"object","description":...,"properties":{...}}. Types inside are references to
// #/components/schemas/NAME.
void WriteSchema(const FieldList& fields, Writer& writer);
// The same for itself, where no other document is: types inside are references to #/$defs/NAME, and
// stand there.
void WriteWholeSchema(const FieldList& fields, Writer& writer);
// {"$ref":"#/components/schemas/NAME"}
void WriteReference(const FieldList& fields, Writer& writer);

}  // namespace rankscope::json
