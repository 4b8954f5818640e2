// What the kernel counts of TCP, of sockets and of NFS.
#pragma once

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Segments, retransmits and what else tells of a network that loses something: /proc/net/snmp and
// netstat, by the kernel's names. Of the agent's own network namespace, which is the host's unless
// it runs in a container without hostNetwork.
Source TcpSource();

// Sockets by protocol and kind, and their memory: /proc/net/sockstat and sockstat6.
Source SocketSource();

// NFS by mount and operation: /proc/self/mountstats, of the agent's own mounts; 32 of them at most.
// kNotFound where none is mounted.
Source NfsSource();

}  // namespace rankscope::agent
