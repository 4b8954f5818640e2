// Messages between snoop and its helper through a socket that preserves message boundaries
// (SOCK_SEQPACKET): a request of plain values, and answers with descriptors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "snoop/descriptor.h"
#include "snoop/plan.h"

namespace rankscope::snoop {

enum class Programs : std::uint32_t { kSnoop, kOffCpu };

struct HelperRequest {
  Programs programs = Programs::kSnoop;
  pid_t pid = 0;
  Config config{};
  std::vector<CallAt> calls;
  std::vector<Probe> probes;
};
std::string ToBytes(const HelperRequest& request);
// kBadData: it is truncated, or exceeds a limit.
Result<HelperRequest> ParseRequest(std::string_view bytes);

// One message: a text and up to kMostDescriptors descriptors. False: failed, see errno.
inline constexpr std::size_t kMostDescriptors = 200;
bool SendMessage(int socket, std::string_view text, std::span<const int> descriptors);
struct Message {
  std::string text;
  std::vector<Descriptor> descriptors;
};
// kIo: the other side has closed.
Result<Message> ReceiveMessage(int socket);

}  // namespace rankscope::snoop
