// slack_over_ranks: how close every rank's work is to deciding the steps.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

const Analysis& SlackOverRanksAnalysis();

}  // namespace rankscope
