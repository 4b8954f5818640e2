// Partials of memory tables with only those devices whose memory is highest: a report on a thousand
// ranks shows a few.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

namespace rankscope {

// A stream of the chosen rows. The partials' first table has the columns device_type and device.
class HighestDevices : public PartialStream {
 public:
  enum class Level : std::uint8_t { kLargest, kSum };

  // Reads all partials. Of each device type the `most` devices whose `level` of `column` is
  // highest, of equals those of the lowest rank, capture and device. Holds the rows of what it
  // keeps and of one partial.
  static Result<HighestDevices> Of(PartialStream& partials, const JobContext& job,
                                   std::int64_t most, std::string_view column, Level level);

  Result<bool> Next(Partial& partial) override;

 private:
  std::vector<Partial> kept_;
  std::size_t next_ = 0;
};

}  // namespace rankscope
