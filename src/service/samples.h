// Numbers over time that a job tells of itself: loss, learning rate, tokens; telemetry later takes
// the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace rankscope::service {

struct Sample {
  std::int64_t time_ns = 0;  // since 1970, UTC
  std::optional<std::int64_t> step;
  std::optional<std::int64_t> rank;
  std::string host;
  std::string name;
  double value = 0;
  std::string unit;
};

// [{"time","step","rank","host","name","value","unit"}]: time in ISO 8601 with Z, or nanoseconds
// since 1970 as a number or text. kInvalidArgument names the first that is wrong.
Result<std::vector<Sample>> ParseSamples(std::string_view json);
void AppendSample(std::string& out, const Sample& sample);

// For a picture: of every series (name, rank, host) at most `points` samples, 2 or more: of equal
// stretches of the series the least and the greatest, so that no extreme is lost. `samples` are by
// time, and so is what is left.
std::vector<Sample> Thinned(std::vector<Sample> samples, std::size_t points);

// Keeps them as a content of the store, named by the run. Small contents are made one.
Status StoreSamples(store::Store& store, const std::string& run, std::vector<Sample> samples);
// By time.
Result<std::vector<Sample>> ReadSamples(store::Store& store, const store::Run& run);

}  // namespace rankscope::service
