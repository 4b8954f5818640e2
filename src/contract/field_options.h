// Command line options from declared fields (json/fields.h).
#pragma once

#include <string_view>

#include "contract/command.h"
#include "json/fields.h"

namespace rankscope {

// Adds the field `round_up` as the option --round-up, with the field's text, bounds, words and
// default; it is required if the field is. Lists are comma-separated. Texts, integers, numbers,
// flags and lists of texts or integers can be options. `object` has the type of the fields and must
// outlive the parsing.
CommandOption& AddFieldOption(CommandSpec& command, const json::FieldList& fields,
                              std::string_view name, void* object);

template <typename T>
CommandOption& AddField(CommandSpec& command, T& object, std::string_view name) {
  return AddFieldOption(command, json::FieldsOf<T>(), name, &object);
}

}  // namespace rankscope
