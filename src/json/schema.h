// Declared types as JSON schemas, for OpenAPI's components or standalone.
#pragma once

#include <span>
#include <vector>

#include "json/fields.h"
#include "json/writer.h"

namespace rankscope::json {

// These and their nested types, each once, nested types first.
std::vector<const FieldList*> WithNested(std::span<const FieldList* const> lists);

// {"type":"object","description":...,"properties":{...}}. Types inside are references to
// #/components/schemas/NAME.
void WriteSchema(const FieldList& fields, Writer& writer);
// The same as a standalone document: nested types are references to #/$defs/NAME, and are defined
// there.
void WriteWholeSchema(const FieldList& fields, Writer& writer);
// {"$ref":"#/components/schemas/NAME"}
void WriteReference(const FieldList& fields, Writer& writer);

}  // namespace rankscope::json
