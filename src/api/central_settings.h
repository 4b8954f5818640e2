// Settings that a server gives to the agents that report to it: which ones there may be, and how
// they cross. They are what a fleet changes while it runs: what is profiled without being asked
// for, and what such captures record. Where an agent listens, which files and folders it uses, who
// it trusts and where it reports is never among them.
//
// In a report:  "settings": {"id": "9f2c...", "refused": "", "problem": ""}
// In a reply:   "settings": {"id": "77ab...", "values": {"triggers.iteration": ["0"]}}
// The id is the server's name for these values, empty for none; a reply has settings only for an
// agent that told of its own and has, and refused, others.
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

// By key, as texts: one, but for lists.
using CentralValues = std::map<std::string, std::vector<std::string>, std::less<>>;

}  // namespace rankscope::api
