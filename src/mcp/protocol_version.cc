#include "mcp/protocol_version.h"

namespace rankscope::mcp {
namespace {

constexpr ProtocolVersion kAll[] = {ProtocolVersion::k20241105, ProtocolVersion::k20250326,
                                    ProtocolVersion::k20250618};

}  // namespace

std::string_view ToString(ProtocolVersion version) {
  switch (version) {
    case ProtocolVersion::k20241105:
      return "2024-11-05";
    case ProtocolVersion::k20250326:
      return "2025-03-26";
    case ProtocolVersion::k20250618:
      break;
  }
  return "2025-06-18";
}

ProtocolVersion Negotiated(std::string_view asked) {
  for (const ProtocolVersion version : kAll) {
    if (ToString(version) == asked) return version;
  }
  return ProtocolVersion::k20250618;
}

}  // namespace rankscope::mcp
