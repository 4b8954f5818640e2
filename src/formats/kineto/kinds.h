// The meaning of categories and names of Kineto events, across vendors and versions of the format.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace rankscope::kineto {

// The kind of a complete event of this category; kOther for unknown categories.
EventKind KindOfCategory(std::string_view category);

// MTIA writes all device work under one category; the name tells what it is.
EventKind KindOfMtiaWork(std::string_view name);

// Flow categories whose arrows only repeat the correlation ids of the events.
bool IsLaunchFlow(std::string_view category);

}  // namespace rankscope::kineto
