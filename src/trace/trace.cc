#include "trace/trace.h"

#include <algorithm>

namespace rankscope {

std::string_view ToString(EventKind kind) {
  static constexpr std::string_view kNames[kEventKindCount] = {
      "cpu_op",  "user_annotation", "python_function", "runtime",           "kernel",
      "memcpy",  "memset",          "device_sync",     "device_annotation", "memory_instant",
      "instant", "overhead",        "profiler_range",  "counter",           "cpu_sample",
      "other"};
  return kNames[static_cast<int>(kind)];
}

std::string_view ToString(QualityCode code) {
  switch (code) {
    case QualityCode::kTruncated:
      return "truncated";
    case QualityCode::kCorruptGzip:
      return "corrupt_gzip";
    case QualityCode::kInvalidJson:
      return "invalid_json";
    case QualityCode::kInvalidUtf8:
      return "invalid_utf8";
    case QualityCode::kBadEvent:
      return "bad_event";
    case QualityCode::kTrailingGarbage:
      return "trailing_garbage";
    case QualityCode::kTooLarge:
      return "too_large";
    case QualityCode::kNotATrace:
      return "not_a_trace";
    case QualityCode::kMissingMetadata:
      return "missing_metadata";
    case QualityCode::kUnmatchedLaunch:
      return "unmatched_launch";
    case QualityCode::kUnmatchedBegin:
      return "unmatched_begin";
    case QualityCode::kDuplicateCapture:
      return "duplicate_capture";
    case QualityCode::kImpossibleDuration:
      return "impossible_duration";
    case QualityCode::kOutsideRecording:
      return "outside_recording";
    case QualityCode::kInflateLimit:
      return "inflate_limit";
    case QualityCode::kOther:
      return "other";
  }
  return "other";
}

std::string_view ToString(StepSource source) {
  switch (source) {
    case StepSource::kProfiler:
      return "profiler";
    case StepSource::kDevice:
      return "device";
    case StepSource::kEngine:
      return "engine";
    case StepSource::kAnnotation:
      return "annotation";
    case StepSource::kOptimizer:
      return "optimizer";
    case StepSource::kLoader:
      return "data loader";
    case StepSource::kIteration:
      return "iteration";
    case StepSource::kPeriod:
      return "period";
  }
  return "period";
}

std::string_view ToString(StepPhase phase) {
  switch (phase) {
    case StepPhase::kNone:
      return "";
    case StepPhase::kPrefill:
      return "prefill";
    case StepPhase::kDecode:
      return "decode";
    case StepPhase::kMixed:
      return "mixed";
    case StepPhase::kVerify:
      return "verify";
    case StepPhase::kDraft:
      return "draft";
    case StepPhase::kIdle:
      return "idle";
    case StepPhase::kOther:
      return "other";
  }
  return "other";
}

std::span<const RowPair> RankTrace::KernelsOf(Row launch) const {
  const auto [first, last] =
      std::equal_range(launch_kernels.begin(), launch_kernels.end(), RowPair{launch, 0},
                       [](const RowPair& a, const RowPair& b) { return a.from < b.from; });
  return {first, last};
}

std::span<const CounterArgs> RankTrace::CountersOf(Row row) const {
  if (aux[row] == kNoAux) return {};
  std::size_t end = aux[row];
  while (counters[end].is_last == 0) ++end;
  return {counters.data() + aux[row], end + 1 - aux[row]};
}

int RankTrace::StepAt(std::int64_t t) const {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), t,
                       [](std::int64_t time, const Step& step) { return time < step.begin_ns; });
  if (after == steps.begin()) return -1;
  const auto index = static_cast<int>(after - steps.begin()) - 1;
  return t < steps[static_cast<std::size_t>(index)].end_ns ? index : -1;
}

}  // namespace rankscope
