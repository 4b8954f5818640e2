#include "service/runs/samples.h"

#include <algorithm>

#include "base/file.h"

namespace rankscope::service {
namespace {

// A content of more than this is left alone: what is added makes another.
constexpr std::uint64_t kFullBytes = 4 << 20;

}  // namespace

Status StoreSamples(store::Store& store, const std::string& run,
                    std::vector<MetricSample> samples) {
  if (samples.empty()) return OkStatus();
  // Contents are made while the run is not changed by others, so that none of two writers loses.
  return store.catalogue()
      .Change(run,
              [&](store::Run& one) -> Status {
                const bool goes_on = !one.metrics.empty() && one.metrics.back().bytes < kFullBytes;
                if (goes_on) {
                  store::Run last;
                  last.metrics = {one.metrics.back()};
                  RS_ASSIGN_OR_RETURN(std::vector<MetricSample> before, ReadSamples(store, last));
                  before.insert(before.end(), samples.begin(), samples.end());
                  samples = std::move(before);
                  one.metrics.pop_back();
                }
                std::string json = "[";
                for (const MetricSample& sample : samples) {
                  if (json.size() > 1) json += ",\n";
                  AppendSample(json, sample);
                }
                RS_ASSIGN_OR_RETURN(const store::BlobInfo blob,
                                    store::StoreText(store.blobs(), json + "]\n"));
                one.metrics.push_back(
                    {fmt::format("metrics-{}.json", one.metrics.size()), blob.sha256, blob.bytes});
                return OkStatus();
              })
      .status();
}

Result<std::vector<MetricSample>> ReadSamples(store::Store& store, const store::Run& run) {
  std::vector<MetricSample> all;
  for (const store::RunTable& part : run.metrics) {
    RS_ASSIGN_OR_RETURN(const std::string path, store.blobs().VerifiedPathOf(part.sha256));
    RS_ASSIGN_OR_RETURN(const std::string json, ReadFile(path));
    RS_ASSIGN_OR_RETURN(std::vector<MetricSample> samples, ParseSamples(json));
    all.insert(all.end(), std::make_move_iterator(samples.begin()),
               std::make_move_iterator(samples.end()));
  }
  std::ranges::stable_sort(all, {}, &MetricSample::time_ns);
  return all;
}

}  // namespace rankscope::service
