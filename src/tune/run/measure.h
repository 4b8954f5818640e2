// A run of a server under load, and its score.
#pragma once

#include <string>

#include "serving/load/level.h"
#include "tune/run/spec.h"

namespace rankscope::tune {

struct Measured {
  // Requests per second that are answered within the limits (without limits: all answered ones):
  //   ramp            top * sqrt(good / sent): a ramp that rises evenly from 0 to `top` sends
  //                   `good` requests before it reaches this rate
  //   rate and users  good / time of sending
  //   replay          likewise
  double objective = 0;
  std::int64_t sent = 0, good = 0, failed = 0;
  std::string trouble;  // of the generator: why the result is unreliable; "" none
  serving::LevelResult result;

  double good_pct() const { return Share(good); }
  double failed_pct() const { return Share(failed); }

 private:
  double Share(std::int64_t part) const {
    return sent > 0 ? 100 * static_cast<double>(part) / static_cast<double>(sent) : 0;
  }
};

// The load of a trial; a ramp rises to `top_per_s`. The schedule determines its requests.
load::LevelSpec LevelOf(const TuneSpec& spec, double top_per_s);

// Sends the load to the server at `url` and records it in the folder, which is created. Errors come
// from the server: it could not be reached.
Result<Measured> Measure(const TuneSpec& spec, const std::string& url, const load::LevelSpec& level,
                         std::uint64_t schedule, const std::string& folder,
                         const load::LevelWatch& watch);

// Sends a few requests that are not counted. They trigger the compiling and loading that the first
// requests cause, and let the server finish the work of earlier requests.
Status WarmUp(const TuneSpec& spec, const std::string& url, const std::string& folder,
              const load::LevelWatch& watch);

// The load of the spec for the server at `url`, with that schedule and without levels.
Result<load::LoadSpec> LoadFor(const TuneSpec& spec, const std::string& url, std::uint64_t schedule,
                               const std::string& folder);

}  // namespace rankscope::tune
