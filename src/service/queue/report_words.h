// The command that makes a run's report.
#pragma once

#include <string>
#include <vector>

#include "store/run.h"

namespace rankscope::service {

// Generic over words of command lines (commands.h) and texts. The sender may have declared the run
// to be of a serving program, with limits (store/run.h); else `analyze` finds out from its files.
template <typename Word>
std::vector<Word> ReportWords(const store::Run& run, const Word& traces, const std::string& format,
                              const Word& output) {
  const auto tag = [&](std::string_view name) {
    const auto found = run.tags.find(std::string(name));
    return found == run.tags.end() ? std::string() : found->second;
  };
  const bool is_serving = tag(store::kKindTag) == store::kServingKind;
  std::vector<Word> words = {Word(is_serving ? "serving" : "analyze"),
                             traces,
                             Word("--format"),
                             Word(format),
                             Word("-o"),
                             output};
  const std::string slo = is_serving ? tag(store::kSloTag) : std::string();
  // In one word, so it is never taken for an option.
  if (!slo.empty()) words.push_back(Word("--slo=" + slo));
  return words;
}

}  // namespace rankscope::service
