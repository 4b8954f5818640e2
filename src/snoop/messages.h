// What snoop and its helper tell each other through a socket that keeps messages apart
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
// kBadData: it is cut, or holds more than there can be.
Result<HelperRequest> ParseRequest(std::string_view bytes);

// One message: a text and up to kMostDescriptors descriptors. False: errno says why.
inline constexpr std::size_t kMostDescriptors = 200;
bool SendMessage(int socket, std::string_view text, std::span<const int> descriptors);
struct Message {
  std::string text;
  std::vector<Descriptor> descriptors;
};
// kIo: the other side has gone.
Result<Message> ReceiveMessage(int socket);

}  // namespace rankscope::snoop
