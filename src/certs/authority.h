// A certificate authority of one's own, for a server and the agents of a cluster: keys on P-256,
// certificates of X.509 v3 signed with SHA-256. Made by OpenSSL; nothing here keeps a secret
// anywhere but in what it returns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::certs {

// Both PEM. Who has the key of an authority can let anybody in.
struct Certified {
  std::string certificate;
  std::string key;
};

Result<Certified> MakeAuthority(std::int64_t days);

// For a server that is reached by these names and addresses, the first of which is its subject.
// kInvalidArgument without any, or for what is no name; kBadData for an authority that is none.
Result<Certified> IssueForServer(const Certified& authority, const std::vector<std::string>& names,
                                 std::int64_t days);

// For an agent: its name, and the team whose runs it makes (empty: of none).
Result<Certified> IssueForAgent(const Certified& authority, const std::string& name,
                                const std::string& team, std::int64_t days);

}  // namespace rankscope::certs
