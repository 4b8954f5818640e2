#include "telemetry/telemetry.h"

#include "base/file.h"

namespace rankscope {

std::uint32_t Telemetry::IdOf(const std::string& text) {
  const auto [found, is_new] = ids_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return found->second;
}

void Telemetry::Add(const std::vector<MetricSample>& samples) {
  static_assert(sizeof(Row) == 40);
  rows_.reserve(rows_.size() + samples.size());
  for (const MetricSample& sample : samples) {
    rows_.push_back({.time_ns = sample.time_ns,
                     .rank = sample.rank.value_or(kNoRank),
                     .value = sample.value,
                     .name = IdOf(sample.name),
                     .host = IdOf(sample.host),
                     .unit = IdOf(sample.unit)});
  }
}

bool IsTelemetryName(std::string_view path) { return path.ends_with(".telemetry.json"); }

Result<std::vector<MetricSample>> ReadTelemetryFile(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  RS_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  if (file->bytes().size() > kMostBytes)
    return Error(StatusCode::kResource, "{}: telemetry is read up to 1 GiB; cut it in pieces",
                 path);
  Result<std::vector<MetricSample>> samples = ParseSamples(file->text());
  if (!samples.ok()) return Error(StatusCode::kBadData, "{}: {}", path, samples.status().message());
  return samples;
}

bool IsBesideTraces(std::string_view path) {
  return IsTelemetryName(path) || snoop_file::IsWindowName(path);
}

Status AddFile(const std::string& path, Telemetry& telemetry) {
  if (snoop_file::IsWindowName(path)) return snoop_file::AddWindowFile(path, telemetry.windows());
  RS_ASSIGN_OR_RETURN(const std::vector<MetricSample> samples, ReadTelemetryFile(path));
  telemetry.Add(samples);
  return OkStatus();
}

}  // namespace rankscope
