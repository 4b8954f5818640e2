#include "post_training/inputs/steps_of_rows.h"

#include <fmt/core.h>

#include <array>
#include <string>

namespace rankscope::post_training {
namespace {

// The step that a trainer counts; wandb's own "_step" counts rows.
std::optional<std::int64_t> GlobalStep(const MetricRow& row) {
  for (const std::string_view name : {"train/global_step", "global_step", "step"}) {
    if (const auto value = row.Find(name); value && *value >= 0 && *value <= 1e15)
      return static_cast<std::int64_t>(*value);
  }
  return row.Find("_step") ? std::nullopt : row.step;
}

// Only one row of a step has its time: rows beside it are parts of the same step.
bool HasStepTime(const MetricRow& row) {
  return row.Find("timing_s/step") || row.Find("timing/step_total");
}

void Append(MetricRow& to, MetricRow&& more) {
  for (auto& value : more.values) to.values.push_back(std::move(value));
}

}  // namespace

void StepsOfRows::Flush() {
  if (!gathered_) return;
  const std::int64_t step = gathered_->step.value_or(numbered_);
  numbered_ = step + 1;
  gathered_->step = step;
  const auto [at, is_new] = steps_.try_emplace({Framework::kTrl, step}, std::move(*gathered_));
  if (!is_new) {
    at->second = std::move(*gathered_);
    ++repeated_;
  }
  gathered_.reset();
}

bool StepsOfRows::Take(MetricRow row) {
  const auto framework = FrameworkOf(row);
  if (!framework) return false;
  if (*framework == Framework::kTrl) {
    const auto step = GlobalStep(row);
    const bool ends = row.Find("step_time") || row.Find("train/step_time");
    if (gathered_ && step && gathered_->step && *gathered_->step != *step) Flush();
    if (!gathered_) {
      gathered_.emplace();
    }
    if (step) gathered_->step = step;
    Append(*gathered_, std::move(row));
    if (ends) Flush();
    return true;
  }
  if (!row.step) {
    row.step = numbered_++;
  } else if (*row.step >= numbered_) {
    numbered_ = *row.step + 1;
  }
  const std::pair key{*framework, *row.step};
  const auto [at, is_new] = steps_.try_emplace(key, std::move(row));
  if (is_new) return true;
  if (*framework == Framework::kTorchforge || !HasStepTime(row) || !HasStepTime(at->second)) {
    Append(at->second, std::move(row));
  } else {
    at->second = std::move(row);
    ++repeated_;
  }
  return true;
}

std::int64_t StepsOfRows::Finish(const std::string& path, std::string_view what, PostData& to) {
  Flush();
  std::array<std::optional<std::uint32_t>, 4> sources;
  for (const auto& [key, row] : steps_) {
    auto& source = sources[static_cast<std::size_t>(key.first)];
    if (!source) {
      source = static_cast<std::uint32_t>(to.sources.size());
      to.sources.push_back(
          {.path = path, .format = fmt::format("{} of {}", what, ToString(key.first))});
    }
    ++to.sources[*source].records;
    to.log_steps.push_back(StepOf(row, key.first));
    to.log_steps.back().source = *source;
  }
  if (repeated_ > 0)
    to.notes.push_back(fmt::format(
        "{}: {} of the steps stand there again, as after a resumed run; the last counts", path,
        repeated_));
  return static_cast<std::int64_t>(steps_.size());
}

}  // namespace rankscope::post_training
