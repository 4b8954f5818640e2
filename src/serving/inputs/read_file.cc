#include "serving/inputs/read_file.h"

#include <fmt/core.h>

#include "base/text.h"
#include "serving/base/metric_names.h"
#include "serving/base/words.h"
#include "serving/inputs/exposition.h"
#include "serving/inputs/log_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kHead = 64 * 1024;
constexpr int kMostLines = 400;

Kind KindOfJson(std::string_view text, std::string_view head) {
  if (Contains(head, "\"traceEvents\"") || Contains(head, "\"deviceProperties\""))
    return Kind::kTrace;
  if (Contains(head, "\"resourceSpans\"")) return Kind::kOtlp;
  // The first line names it; methods and ids behind it may say anything.
  if (Contains(head.substr(0, head.find('\n')), "\"rankscope_requests\""))
    return Kind::kRequestRecord;
  if (Contains(head, "\"request_start_ns\"")) return Kind::kAiperf;
  if (Contains(head, "\"load_request\"") || Contains(head, "\"load_level\""))
    return Kind::kLoadRecord;
  if (Contains(head, "\"rankscope.tune/1\"")) return Kind::kTuning;
  if (Contains(head, "\"request_parameters\"")) return Kind::kSglangLog;
  if (Contains(head, "\"benchmarks\"") || Contains(text, "\"benchmarks\"")) return Kind::kGuidellm;
  if (Contains(head, "\"request_throughput\"") || Contains(head, "\"ttfts\"") ||
      Contains(text, "\"ttfts\""))
    return Kind::kVllmBench;
  if (ParseAccess(head.substr(0, head.find('\n')))) return Kind::kLog;
  return Kind::kUnknown;
}

Status ReadWhatItIs(const InputFile& file, Collection& to);

}  // namespace

Kind KindOf(std::string_view text) {
  const std::string_view head = text.substr(0, kHead);
  const std::string_view begin = Trimmed(head);
  if (begin.starts_with('{') || begin.starts_with("[{")) {
    const Kind kind = KindOfJson(text, head);
    if (kind != Kind::kUnknown) return kind;
  }
  Lines lines(head);
  std::string_view line;
  for (int i = 0; i < kMostLines && lines.Next(line); ++i) {
    const std::string_view trimmed = Trimmed(line);
    if (trimmed.empty()) continue;
    if (trimmed.starts_with("# TYPE ") || trimmed.starts_with("# HELP ") ||
        trimmed.starts_with("# scraped_at"))
      return Kind::kScrapes;
    if (trimmed.starts_with('#')) continue;
    if (ParseIteration(line) || ParseLoad(line) || ParseSglangLoad(line) ||
        ParseTrtLlmIteration(line) || ParseAccess(line))
      return Kind::kLog;
    const auto sample = ParseSample(line);
    // Words and a number are a sample, too: a known name, or labels, make it one.
    if (sample && (FindMetric(sample->name) || !sample->labels.empty())) return Kind::kScrapes;
  }
  if (text.size() > kHead) {
    // What an engine says before its first request is long.
    if (Contains(text, "Avg prompt throughput:") || Contains(text, "Iteration(")) return Kind::kLog;
    if (Contains(text, "Decode batch") && Contains(text, "#running-req: ")) return Kind::kLog;
    if (Contains(text, "'num_ctx_requests':")) return Kind::kLog;
    if (Contains(text, "HTTP/1.1\" ")) return Kind::kLog;
  }
  return Kind::kUnknown;
}

Status ReadServingFile(const InputFile& file, Collection& to) {
  const std::size_t notes = to.data.notes.size();
  const Status status = ReadWhatItIs(file, to);
  if (file.problem.empty()) return status;
  if (!status.ok()) return Error(status.code(), "{}: {}", status.message(), file.problem);
  // Before what follows from it.
  to.data.notes.insert(to.data.notes.begin() + static_cast<std::ptrdiff_t>(notes),
                       fmt::format("{}: {}", file.path, file.problem));
  return status;
}

namespace {

Status ReadWhatItIs(const InputFile& file, Collection& to) {
  if (Trimmed(file.text).empty())
    return Error(StatusCode::kBadData, "{}: the file is empty", file.path);
  switch (KindOf(file.text)) {
    case Kind::kScrapes:
      return ReadScrapes(file, to);
    case Kind::kOtlp:
      return ReadOtlp(file, to);
    case Kind::kSglangLog:
      return ReadSglangLog(file, to);
    case Kind::kAiperf:
      return ReadAiperf(file, to);
    case Kind::kVllmBench:
      return ReadVllmBench(file, to);
    case Kind::kGuidellm:
      return ReadGuidellm(file, to);
    case Kind::kLoadRecord:
      return ReadLoadRecord(file, to);
    case Kind::kTuning:
      return ReadTuning(file, to);
    case Kind::kRequestRecord:
      return ReadRequestRecord(file, to);
    case Kind::kLog:
      return ReadLog(file, to);
    case Kind::kTrace:
      return Error(StatusCode::kNotFound,
                   "{}: a trace of torch.profiler: rankscope analyze reads it", file.path);
    case Kind::kUnknown:
      break;
  }
  return Error(StatusCode::kNotFound,
               "{}: nothing of a serving program (metrics, spans, request logs, benchmarks, access "
               "logs, the log of vLLM, SGLang or TensorRT-LLM, recorded requests)",
               file.path);
}

}  // namespace
}  // namespace rankscope::serving
