// Options of the command line that follow from declared fields (json/fields.h).
#pragma once

#include <string_view>

#include "contract/command.h"
#include "json/fields.h"

namespace rankscope {

// The field `round_up` as the option --round-up: with the field's text, bounds, words and default,
// required where the field is. Lists are given with commas. Texts, whole numbers, numbers, flags
// and lists of texts or whole numbers can be options. `object`, of the type that the fields are of,
// outlives the parsing.
CommandOption& AddFieldOption(CommandSpec& command, const json::FieldList& fields,
                              std::string_view name, void* object);

template <typename T>
CommandOption& AddField(CommandSpec& command, T& object, std::string_view name) {
  return AddFieldOption(command, json::FieldsOf<T>(), name, &object);
}

}  // namespace rankscope
