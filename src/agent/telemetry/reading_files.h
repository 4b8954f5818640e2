// Files of numbers as readings: what most sources do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Adds the number of a word, or counts that it is none.
void AddWord(Readings& readings, const quantity::Quantity& quantity, Labels labels,
             std::string_view word, double factor = 1);
// Of a file of one number; nothing when it is not there.
void AddFile(Readings& readings, const quantity::Quantity& quantity, Labels labels,
             const std::string& path, double factor = 1);
// Names in a folder, sorted; none when it cannot be read.
std::vector<std::string> NamesIn(const std::string& folder);
// The first line of a file; empty when it cannot be read.
std::string FirstLineOf(const std::string& path);

}  // namespace rankscope::agent
