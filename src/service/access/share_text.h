// The text of a share, in every store: a line of JSON with its owner, then the state. Also the
// rules for who may see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "service/access/shares.h"

namespace rankscope::service {

// The owner to whom the share counts.
std::string ShareOwner(const Principal& who);
// The first line of a share: its owner, and SHA-256 checksums of the rest of the line and of the
// state, so that neither is served if it is damaged.
std::string HeadOfShare(std::string_view team, std::string_view token, std::int64_t made_s,
                        std::string_view state);
// Shares of early versions have no checksum and are accepted as they are.
bool IsSoundShare(std::string_view text, std::string_view team);
std::string TeamInShare(std::string_view text);

// A share belongs to its maker's team. If the maker sees all teams, it belongs to the team of the
// run that it shows.
std::string TeamOfShare(const Principal& who, std::string_view state,
                        const Shares::TeamOfRun& team_of_run);
// `team`: nullopt where an older version kept it.
bool MaySeeShare(const Principal& who, const std::optional<std::string>& team,
                 std::string_view state, const Shares::TeamOfRun& team_of_run);

Status NoShare();
Status TokenIsFull(std::size_t shares, std::uint64_t bytes, const ShareLimits& limits);
Status TeamIsFull(const ShareLimits& limits);

}  // namespace rankscope::service
