// JSON that is one document, or one a line.
#pragma once

#include <functional>

#include "json/reader.h"
#include "serving/inputs/input_file.h"

namespace rankscope::serving {

// Calls `take` with the root of each document; where it answers false the line was of another kind.
// Lines that are no JSON or are refused are told in a note with the first one's number. An error
// when nothing could be taken. O(text); three times a document's size in memory.
Status ForEachDocument(const InputFile& file, Collection& to, std::string_view what,
                       const std::function<bool(const json::Value&)>& take);

// Seconds as a number or as text; nullopt for what is none.
Ns SecondsOf(const json::Value& value);
// A moment as a number or text (words.h).
Ns MomentOfJson(const json::Value& value);
Count CountOf(const json::Value& value);

}  // namespace rankscope::serving
