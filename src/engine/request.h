// Request: one analysis to run, with the options that were given for it.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

struct Request {
  const Analysis* analysis = nullptr;
  Options options;
};

}  // namespace rankscope
