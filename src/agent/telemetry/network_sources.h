// The kernel's counters of TCP, sockets and NFS.
#pragma once

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Segments, retransmits and other signs of a lossy network: /proc/net/snmp and netstat, by the
// kernel's names. For the agent's own network namespace, which is the host's unless it runs in a
// container without hostNetwork.
Source TcpSource();

// Sockets by protocol and kind, and their memory: /proc/net/sockstat and sockstat6.
Source SocketSource();

// NFS by mount and operation: /proc/self/mountstats, for the agent's own mounts, at most 32.
// kNotFound if none is mounted.
Source NfsSource();

}  // namespace rankscope::agent
