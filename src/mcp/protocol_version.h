// The versions of the Model Context Protocol that are spoken, and what came with each.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::mcp {

enum class ProtocolVersion : std::uint8_t { k20241105, k20250326, k20250618 };

// "2024-11-05", as the protocol names it.
std::string_view ToString(ProtocolVersion version);

// The version that a client asks for where it is one of these, else the newest: a client that
// cannot speak that leaves.
ProtocolVersion Negotiated(std::string_view asked);

// Several messages in one line: in that version alone.
constexpr bool HasBatches(ProtocolVersion version) { return version == ProtocolVersion::k20250326; }
// What a tool does to its surroundings; words beside numbers of progress.
constexpr bool HasAnnotations(ProtocolVersion version) {
  return version >= ProtocolVersion::k20250326;
}
// Results of tools as JSON of a declared schema; titles of tools and resources.
constexpr bool HasStructuredContent(ProtocolVersion version) {
  return version >= ProtocolVersion::k20250618;
}

}  // namespace rankscope::mcp
