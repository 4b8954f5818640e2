#include "formats/format.h"

#include <algorithm>

#include "formats/base/head.h"
#include "formats/et/join.h"
#include "formats/foreign/foreign.h"
#include "formats/kineto/edit/merged.h"
#include "formats/kineto/reader.h"
#include "formats/nsys/reader.h"
#include "formats/rocprofv3/reader.h"
#include "formats/xplane/reader.h"

namespace rankscope {
namespace {

Result<RankTrace> ReadKineto(const std::string& path, const ReadOptions& options) {
  kineto::ReadOptions of_kineto;
  of_kineto.threads = options.threads;
  of_kineto.part = options.part;
  of_kineto.inflate = options.inflate;
  of_kineto.progress = options.progress;
  if (options.execution_trace.empty()) return kineto::ReadTrace(path, of_kineto);
  std::vector<RecordId> ids;
  of_kineto.record_ids = &ids;
  RS_ASSIGN_OR_RETURN(RankTrace trace, kineto::ReadTrace(path, of_kineto));
  const auto execution = et::ReadExecutionTrace(options.execution_trace, options.inflate);
  const auto note = [&](std::string sentence) {
    trace.meta.quality.push_back({.code = QualityCode::kOther, .message = std::move(sentence)});
  };
  if (!execution.ok()) {
    note(execution.status().message());
    return trace;
  }
  note(et::JoinedInWords(et::Join(trace, *execution, ids), options.execution_trace));
  for (const QualityEntry& entry : execution->quality.entries())
    note(options.execution_trace + ": " + entry.message);
  return trace;
}

std::vector<std::string> MergedParts(const std::string& path) {
  const auto parts = kineto::ReadParts(path);
  std::vector<std::string> names;
  if (!parts.ok()) return names;
  names.reserve(parts->size());
  for (const kineto::MergedPart& part : *parts) names.push_back(part.name);
  return names;
}

constexpr TraceFormat kFormats[] = {
    {.name = "rocprofv3 JSON",
     .ending = ".json",
     .unknown = "ranks, ops with their shapes and Python stacks, launches of HIP graphs",
     .is_it = rocprofv3::IsTrace,
     .read = rocprofv3::ReadTrace},
    {.name = "Nsight Systems SQLite",
     .ending = ".sqlite",
     .unknown = "ops with their shapes and Python stacks, process groups",
     .is_it = nsys::IsTrace,
     .read = nsys::ReadTrace,
     .parts = nsys::Processes},
    {.name = "XPlane",
     .ending = ".xplane.pb",
     .unknown = "ranks, shapes of ops, process groups and launches of graphs",
     .is_it = xplane::IsTrace,
     .read = xplane::ReadTrace},
    {.name = kKinetoFormat,
     .ending = ".json",
     .unknown = "",
     .is_it = [](std::string_view) { return true; },
     .read = ReadKineto,
     .parts = MergedParts},
};

}  // namespace

std::span<const TraceFormat> TraceFormats() { return kFormats; }

std::vector<std::string_view> TraceEndings() {
  std::vector<std::string_view> endings;
  for (const TraceFormat& format : kFormats) {
    if (std::ranges::find(endings, format.ending) == endings.end())
      endings.push_back(format.ending);
  }
  return endings;
}

const TraceFormat* FindTraceFormat(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const TraceFormat& format) { return format.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

std::vector<std::string> PartsOf(const std::string& path) { return PartsOf(path, HeadOf(path)); }

std::vector<std::string> PartsOf(const std::string& path, std::string_view head) {
  for (const TraceFormat& format : kFormats) {
    if (format.is_it(head))
      return format.parts == nullptr ? std::vector<std::string>() : format.parts(path);
  }
  return {};
}

Status CheckIsKineto(const std::string& path) {
  const std::string head = HeadOf(path);
  const TraceFormat* const format =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const TraceFormat& one) { return one.is_it(head); });
  if (format != std::end(kFormats) && format->name != kKinetoFormat) {
    return Error(StatusCode::kInvalidArgument,
                 "{}: a file of the format {}, which is read (rankscope analyze) but not changed: "
                 "this takes the JSON of PyTorch's profiler",
                 path, format->name);
  }
  const std::string_view foreign = NameForeignFormat(head, path);
  return foreign.empty() ? OkStatus()
                         : Error(StatusCode::kBadData, "{}: not a trace: {}", path, foreign);
}

Result<RankTrace> ReadTraceFile(const std::string& path, const ReadOptions& options) {
  const std::string head = HeadOf(path, options.inflate);
  for (const TraceFormat& format : kFormats) {
    if (!format.is_it(head)) continue;
    RS_ASSIGN_OR_RETURN(RankTrace trace, format.read(path, options));
    trace.meta.format = format.name;
    return trace;
  }
  return Error(StatusCode::kBadData, "{}: not a trace", path);
}

}  // namespace rankscope
