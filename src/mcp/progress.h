// How far a call is, as the protocol wants it told: by numbers that only rise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/listener.h"
#include "mcp/protocol_version.h"

namespace rankscope::mcp {

// For one call, which may read several times. Not for several threads.
class Progress {
 public:
  // `token` is what the client called it, as JSON.
  Progress(std::string token, ProtocolVersion version)
      : token_(std::move(token)), version_(version) {}

  // Parameters of a notification, in bytes of files; none where it is not a hundredth further than
  // when it was told last.
  std::optional<std::string> After(const app::ReadProgress& now);

 private:
  const std::string token_;
  const ProtocolVersion version_;
  std::uint64_t before_ = 0;  // bytes of earlier readings
  std::uint64_t now_ = 0;     // of this one
  std::optional<std::uint64_t> told_;
};

}  // namespace rankscope::mcp
