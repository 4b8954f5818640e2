// Sentences about the levels of a load run, for text and Markdown.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "report/serving/serving_words.h"

namespace rankscope {

// "Serves 6.1 requests a second within TTFT 500 ms; at 7.2 a second 81.0% keep it"; "" without
// levels.
std::string LoadHeadline(const ServingView& view);

// "at 8.33 a second" where findings and stages are of one level of several; else "".
std::string FocusWords(const ServingView& view);

inline constexpr std::array<std::string_view, 9> kLevelHeads = {
    "asked", "served", "inside", "TTFT p50", "p99", "TPOT p50", "e2e p99", "good", ""};
// The cells of a level below these.
std::array<std::string, 9> LevelCells(const ServingView& view, std::size_t row);

// Sentences about problems at levels: stalls, requests sent late, failures, invalid levels.
std::vector<std::string> LevelSentences(const ServingView& view);

}  // namespace rankscope
