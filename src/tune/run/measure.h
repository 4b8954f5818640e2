// A run of a server under load, and what it is worth.
#pragma once

#include <string>

#include "serving/load/level.h"
#include "tune/run/spec.h"

namespace rankscope::tune {

struct Measured {
  // Requests a second that are answered within the limits (all that are answered, where there are
  // none):
  //   ramp            top * sqrt(good / sent): as many requests of a rate that rises evenly from 0
  //                   to `top` come before it is that rate
  //   rate and users  good / time of sending
  //   replay          likewise
  double objective = 0;
  std::int64_t sent = 0, good = 0, failed = 0;
  std::string trouble;  // of the generator: why this says little; "" none
  serving::LevelResult result;

  double good_pct() const { return Share(good); }
  double failed_pct() const { return Share(failed); }

 private:
  double Share(std::int64_t part) const {
    return sent > 0 ? 100 * static_cast<double>(part) / static_cast<double>(sent) : 0;
  }
};

// The load of a trial, to `top_per_s` where it is a ramp; the schedule decides its requests.
load::LevelSpec LevelOf(const TuneSpec& spec, double top_per_s);

// Sends it to the server at `url` and writes it into the folder, which is made. Errors are the
// server's: it could not be reached.
Result<Measured> Measure(const TuneSpec& spec, const std::string& url, const load::LevelSpec& level,
                         std::uint64_t schedule, const std::string& folder,
                         const load::LevelWatch& watch);

// A few requests that nobody counts, so that what is compiled or read at the first ones is there,
// and what the server had still to do of earlier ones is done.
Status WarmUp(const TuneSpec& spec, const std::string& url, const std::string& folder,
              const load::LevelWatch& watch);

// The load of the spec for the server at `url`, of that schedule and without levels.
Result<load::LoadSpec> LoadFor(const TuneSpec& spec, const std::string& url, std::uint64_t schedule,
                               const std::string& folder);

}  // namespace rankscope::tune
