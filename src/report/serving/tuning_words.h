// Sentences about runs of rankscope tune, for text, Markdown and pages.
#pragma once

#include <array>
#include <string>

#include "report/serving/serving_words.h"

namespace rankscope {

// "29.1% more requests a second with other settings", or of one that goes on how far it is and what
// was best so far; of the last of several. "" without any.
std::string TuningHeadline(const ServingView& view);

inline constexpr std::array<std::string_view, 5> kTrialHeads = {"#", "stage", "good", "",
                                                                "settings"};
// The cells of a trial below these; the fourth is "now" or "chosen", of settings that are.
std::array<std::string, 5> TrialCells(const ServingView& view, std::size_t row);

}  // namespace rankscope
