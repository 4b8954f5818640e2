// Progress of a call in the protocol's format: numbers that only increase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/listener.h"
#include "mcp/protocol_version.h"

namespace rankscope::mcp {

// For one call, which may read several times. Not thread-safe.
class Progress {
 public:
  // `token` is the client's progress token, as JSON.
  Progress(std::string token, ProtocolVersion version)
      : token_(std::move(token)), version_(version) {}

  // Parameters of a notification, in bytes of files; nullopt if progress since the last
  // notification is below one percent.
  std::optional<std::string> After(const app::ReadProgress& now);

 private:
  const std::string token_;
  const ProtocolVersion version_;
  std::uint64_t before_ = 0;  // bytes of earlier readings
  std::uint64_t now_ = 0;     // of the current reading
  std::optional<std::uint64_t> told_;
};

}  // namespace rankscope::mcp
