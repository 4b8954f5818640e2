// Request: one analysis to run, with its options.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

struct Request {
  const Analysis* analysis = nullptr;
  Options options;
};

}  // namespace rankscope
