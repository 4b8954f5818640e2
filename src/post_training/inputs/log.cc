// Lines of a console: veRL's "step:N - ..", dicts that Python printed, blocks of torchforge.
#include <fmt/core.h>

#include "base/text.h"
#include "post_training/inputs/input_file.h"
#include "post_training/inputs/steps_of_rows.h"
#include "serving/base/words.h"

namespace rankscope::post_training {
namespace {

constexpr std::string_view kBlock = "METRICS STEP ";

// torchforge prints "=== [..] - METRICS STEP 3 ===" and a line "key: value" for each.
class Blocks {
 public:
  // Whether the line belongs to a block.
  bool Take(std::string_view line, StepsOfRows& steps) {
    const std::size_t at = line.find(kBlock);
    if (at != std::string_view::npos) {
      End(steps);
      std::string_view digits = line.substr(at + kBlock.size());
      digits = digits.substr(0, digits.find(' '));
      if (const auto step = serving::ToInteger(digits); step && *step >= 0)
        row_.emplace().step = *step;
      return true;
    }
    if (!row_) return false;
    if (Contains(line, "=====")) {
      End(steps);
      return true;
    }
    const std::size_t colon = line.rfind(": ");
    if (colon == std::string_view::npos) return false;
    std::string_view name = Trimmed(line.substr(0, colon));
    name = name.substr(name.rfind(' ') + 1);
    const auto value = PrintedNumber(line.substr(colon + 2));
    if (!value || !Contains(name, "/")) return false;
    row_->values.emplace_back(name, *value);
    return true;
  }
  void End(StepsOfRows& steps) {
    if (row_) steps.Take(std::move(*row_));
    row_.reset();
  }

 private:
  std::optional<MetricRow> row_;
};

}  // namespace

Status ReadLog(const InputFile& file, PostData& to) {
  StepsOfRows steps;
  Blocks blocks;
  serving::Lines lines(file.text);
  std::string_view raw;
  while (lines.Next(raw)) {
    if (!Contains(raw, "step") && !Contains(raw, "STEP") && !Contains(raw, "/") &&
        !Contains(raw, "====="))
      continue;
    const std::string line = WithoutColours(raw);
    if (auto row = ParseStepLine(line)) {
      steps.Take(std::move(*row));
    } else if (blocks.Take(line, steps)) {
      continue;
    } else if (Contains(line, "{")) {
      if (auto dict = ParseDictLine(line)) steps.Take(std::move(*dict));
    }
  }
  blocks.End(steps);
  if (steps.Finish(file.path, "log", to) == 0)
    return Error(StatusCode::kNotFound,
                 "{}: no line is a step with its times; veRL prints them where trainer.logger has "
                 "'console'",
                 file.path);
  return OkStatus();
}

}  // namespace rankscope::post_training
