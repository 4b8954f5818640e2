// The supported versions of the Model Context Protocol, and the features of each.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::mcp {

enum class ProtocolVersion : std::uint8_t { k20241105, k20250326, k20250618 };

// "2024-11-05", as the protocol names it.
std::string_view ToString(ProtocolVersion version);

// The version that a client asks for if it is supported, otherwise the newest: a client that does
// not support that one disconnects.
ProtocolVersion Negotiated(std::string_view asked);

// Several messages in one line: only in that version.
constexpr bool HasBatches(ProtocolVersion version) { return version == ProtocolVersion::k20250326; }
// Annotations on a tool's side effects; text in progress notifications.
constexpr bool HasAnnotations(ProtocolVersion version) {
  return version >= ProtocolVersion::k20250326;
}
// Tool results as JSON with a declared schema; titles of tools and resources.
constexpr bool HasStructuredContent(ProtocolVersion version) {
  return version >= ProtocolVersion::k20250618;
}

}  // namespace rankscope::mcp
