// The text of a share, wherever it is kept: a line of JSON that says whose it is, then the state;
// and who may see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "service/shares.h"

namespace rankscope::service {

// Whose share it counts as.
std::string ShareOwner(const Principal& who);
// The first line of a share: whose it is. With the SHA-256 of the line without that, and of the
// state, so that neither is served when it is another.
std::string HeadOfShare(std::string_view team, std::string_view token, std::int64_t made_s,
                        std::string_view state);
// Shares of early versions have no checksum, and are taken as they are.
bool IsSoundShare(std::string_view text, std::string_view team);
std::string TeamInShare(std::string_view text);

// A share is its maker's team's; of one who sees all teams it is the team's of the run that it
// shows.
std::string TeamOfShare(const Principal& who, std::string_view state,
                        const Shares::TeamOfRun& team_of_run);
// `team`: nullopt where an older version kept it.
bool MaySeeShare(const Principal& who, const std::optional<std::string>& team,
                 std::string_view state, const Shares::TeamOfRun& team_of_run);

Status NoShare();
Status TokenIsFull(std::size_t shares, std::uint64_t bytes, const ShareLimits& limits);
Status TeamIsFull(const ShareLimits& limits);

}  // namespace rankscope::service
