#include <fmt/core.h>

#include "base/text.h"
#include "post_training/inputs/input_file.h"
#include "post_training/inputs/interpret.h"
#include "post_training/inputs/metric_row.h"
#include "serving/base/words.h"

namespace rankscope::post_training {
namespace {

constexpr std::size_t kHead = 256 * 1024;

// Names that make a text worth reading to its end.
bool HasNames(std::string_view text) {
  for (const std::string_view name :
       {"timing_s/", "fully_async/", "profiling/Time taken: ", "timing/generation",
        "timing/step_total", "main_perf/continuous_training/", "rl_trainer_perf/", "'step_time'"}) {
    if (Contains(text, name)) return true;
  }
  return false;
}

Kind KindOfJson(std::string_view head) {
  if (Contains(head, "\"traceEvents\"") || Contains(head, "\"deviceProperties\""))
    return Kind::kTrace;
  const std::string_view first = head.substr(0, head.find('\n'));
  for (const std::string_view name : {"\"phase\"", "\"rollout\"", "\"micro_batch\"",
                                      "\"response_tokens\"", "\"weight_version\""}) {
    if (Contains(first, name)) return Kind::kRecord;
  }
  if (HasNames(head) || Contains(head, "\"step_time\"") || Contains(head, "step_time\""))
    return Kind::kRows;
  return Kind::kUnknown;
}

}  // namespace

Kind KindOf(std::string_view text) {
  const std::string_view head = text.substr(0, kHead);
  const std::string_view begin = Trimmed(head);
  // Python prints dicts with single quotes.
  if ((begin.starts_with('{') && !begin.starts_with("{'")) || begin.starts_with('[')) {
    const Kind kind = KindOfJson(begin);
    if (kind != Kind::kUnknown) return kind;
    // A log may begin with a dict.
  }
  if (HasNames(text)) return Kind::kLog;
  return Kind::kUnknown;
}

Status ReadPostTrainingFile(const InputFile& file, PostData& to) {
  if (Trimmed(file.text).empty())
    return Error(StatusCode::kBadData, "{}: the file is empty", file.path);
  Status status;
  switch (KindOf(file.text)) {
    case Kind::kLog:
      status = ReadLog(file, to);
      break;
    case Kind::kRows:
      status = ReadRows(file, to);
      break;
    case Kind::kRecord:
      status = ReadRecord(file, to);
      break;
    case Kind::kTrace:
      return Error(StatusCode::kNotFound,
                   "{}: a trace of torch.profiler: put those of a role into a folder of its name, "
                   "or see rankscope analyze",
                   file.path);
    case Kind::kUnknown:
      return Error(StatusCode::kNotFound,
                   "{}: nothing of a post-training run (steps of veRL, TRL, OpenRLHF or torchforge "
                   "with their times, or a record of phases, rollouts or sequences)",
                   file.path);
  }
  if (file.problem.empty()) return status;
  if (!status.ok()) return Error(status.code(), "{}: {}", status.message(), file.problem);
  to.notes.push_back(fmt::format("{}: {}", file.path, file.problem));
  return status;
}

}  // namespace rankscope::post_training
