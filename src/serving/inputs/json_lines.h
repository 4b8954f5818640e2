// JSON that is one document, or one a line.
#pragma once

#include <functional>

#include "json/reader.h"
#include "serving/inputs/input_file.h"

namespace rankscope::serving {

// Calls `take` with the root of each document; false means that the line is of another kind. Lines
// that are not JSON or are refused give a note with the first one's number. An error if no line was
// accepted. O(text); three times a document's size in memory.
Status ForEachDocument(const InputFile& file, Collection& to, std::string_view what,
                       const std::function<bool(const json::Value&)>& take);

// Seconds as a number or as text; nullopt for anything else.
Ns SecondsOf(const json::Value& value);
// A moment as a number or text (words.h).
Ns MomentOfJson(const json::Value& value);
Count CountOf(const json::Value& value);

}  // namespace rankscope::serving
