// Calls of specifications: one process per library, even if several classes name it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "probe/library/client.h"

namespace rankscope::probe {

// Not thread-safe.
class Libraries {
 public:
  Libraries(std::vector<std::string> worker, Clock clock)
      : worker_(std::move(worker)), clock_(std::move(clock)) {}

  Reading Read(const DeviceSpec& device, const Source& source, std::span<const Value> arguments);

 private:
  LibraryClient& ClientOf(const Library& library);
  Reading ValueOf(const DeviceSpec& device, const Source& source, const LibraryClient& client,
                  const LibraryAnswer& answer) const;

  const std::vector<std::string> worker_;
  const Clock clock_;
  std::map<std::string, std::unique_ptr<LibraryClient>> clients_;
};

}  // namespace rankscope::probe
