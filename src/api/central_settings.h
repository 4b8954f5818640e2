// Settings that a server sends to its agents: the allowed keys, and their encoding. They can be
// changed for a fleet while it runs: what is profiled automatically, and what such captures record.
// An agent's addresses, files, folders, trust and server are never among them.
//
// In a report:  "settings": {"id": "9f2c...", "refused": "", "problem": ""} In a reply:
// "settings": {"id": "77ab...", "values": {"triggers.iteration": ["0"]}} The id is the server's
// name for these values, empty for none. A reply has settings only if the agent reported its own
// id, and both its current and its refused id differ.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::api {

inline constexpr std::size_t kMostCentralBytes = std::size_t{64} << 10;  // of all, as text
inline constexpr std::size_t kMostCentralTexts = 64;                     // of a list
inline constexpr std::size_t kMostCentralText = 1000;                    // bytes of one

// Keys of the agent's settings, in order.
std::span<const std::string_view> CentralKeys();

// By key, as texts: a single text except for lists.
using CentralValues = std::map<std::string, std::vector<std::string>, std::less<>>;

}  // namespace rankscope::api
