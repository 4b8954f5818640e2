// Processes and captures as JSON: for RPC and HTTP alike.
#pragma once

#include <string>
#include <vector>

#include "agent/captures.h"

namespace rankscope::agent {

// ["...", "..."]
void AppendTexts(std::string& json, const std::vector<std::string>& texts);
// {"processes":[...]}; unknown is null. Ages are in milliseconds before `now`.
std::string ToJson(const std::vector<Process>& processes, Now now);
std::string ToJson(const Capture& capture);

}  // namespace rankscope::agent
