// Reads files of numbers as readings, as most sources do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Adds the number of a word, or counts it as unreadable.
void AddWord(Readings& readings, const quantity::Quantity& quantity, Labels labels,
             std::string_view word, double factor = 1);
// For a file of one number; nothing if it does not exist.
void AddFile(Readings& readings, const quantity::Quantity& quantity, Labels labels,
             const std::string& path, double factor = 1);
// Names in a folder, sorted; none if it cannot be read.
std::vector<std::string> NamesIn(const std::string& folder);
// The first line of a file; empty if it cannot be read.
std::string FirstLineOf(const std::string& path);

}  // namespace rankscope::agent
