#include "post_training/steps/seen_steps.h"

#include <fmt/core.h>

#include <algorithm>

namespace rankscope::post_training {

bool SeenSteps::IsAgain(const LogStep& log) {
  if (!log.wall) return false;
  const auto [at, is_new] = first_.try_emplace(log.step, &log);
  if (is_new || at->second->source == log.source) return false;
  const std::int64_t other = *at->second->wall;
  const bool is_same = std::max(other, *log.wall) - std::min(other, *log.wall) <= other / 1000;
  ++(is_same ? again_ : differing_);
  if (!is_same && another_ == nullptr) another_ = &log;
  return is_same;
}

void SeenSteps::AddNotes(const PostData& data, std::vector<std::string>& notes) const {
  if (again_ > 0)
    notes.push_back(
        fmt::format("steps that stand in several files count once; {} were passed over", again_));
  if (another_ != nullptr)
    notes.push_back(fmt::format(
        "{}: another file has other times for steps of the same number ({} of them): if it is of "
        "another run, name one of both",
        data.sources[another_->source].path, differing_));
}

}  // namespace rankscope::post_training
