// A private certificate authority for a server and the agents of a cluster: keys on P-256, X.509 v3
// certificates signed with SHA-256. Uses OpenSSL; secrets are only in the returned values, nothing
// is stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::certs {

// Both PEM. Whoever has an authority's key can admit anybody.
struct Certified {
  std::string certificate;
  std::string key;
};

Result<Certified> MakeAuthority(std::int64_t days);

// For a server with these names and addresses; the first becomes the subject. kInvalidArgument if
// there are none, or for an invalid name; kBadData for an invalid authority.
Result<Certified> IssueForServer(const Certified& authority, const std::vector<std::string>& names,
                                 std::int64_t days);

// For an agent: its name, and the team that owns its runs (empty: no team).
Result<Certified> IssueForAgent(const Certified& authority, const std::string& name,
                                const std::string& team, std::int64_t days);

}  // namespace rankscope::certs
