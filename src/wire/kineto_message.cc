#include "wire/kineto_message.h"

#include "base/bytes.h"

namespace rankscope::wire {
namespace {

constexpr std::size_t kTypeBytes = 32;
constexpr std::string_view kContextType = "ctxt";
constexpr std::string_view kPollType = "req";

std::string DatagramOf(std::string_view type, std::string_view payload) {
  ByteWriter out;
  out.Put(static_cast<std::uint64_t>(payload.size()));
  std::string bytes = out.bytes();
  bytes.append(type);
  bytes.resize(kKinetoHeadBytes, '\0');
  bytes.append(payload);
  return bytes;
}

struct Split {
  std::string_view type;
  std::string_view payload;
};

Result<Split> SplitDatagram(std::string_view datagram) {
  if (datagram.size() < kKinetoHeadBytes)
    return Error(StatusCode::kBadData, "a datagram of {} bytes has no head of {}", datagram.size(),
                 kKinetoHeadBytes);
  const auto size = ByteReader(datagram.substr(0, 8)).Get<std::uint64_t>();
  if (size != datagram.size() - kKinetoHeadBytes)
    return Error(StatusCode::kBadData, "a payload of {} bytes is said to have {}",
                 datagram.size() - kKinetoHeadBytes, size);
  std::string_view type = datagram.substr(8, kTypeBytes);
  const std::size_t end = std::min(type.find('\0'), kTypeBytes);
  if (type.find_first_not_of('\0', end) != std::string_view::npos)
    return Error(StatusCode::kBadData, "the type goes on behind its end");
  type = type.substr(0, end);
  return Split{type, datagram.substr(kKinetoHeadBytes)};
}

Result<KinetoMessage> ParseContext(std::string_view payload) {
  if (payload.size() != 16)
    return Error(StatusCode::kBadData, "a ctxt has 16 bytes, not {}", payload.size());
  ByteReader in(payload);
  KinetoContext context;
  context.gpu = in.Get<std::int32_t>();
  context.pid = in.Get<std::int32_t>();
  context.job = in.Get<std::int64_t>();
  return KinetoMessage(context);
}

Result<KinetoMessage> ParsePoll(std::string_view payload) {
  if (payload.size() < 16)
    return Error(StatusCode::kBadData, "a req has 16 bytes or more, not {}", payload.size());
  ByteReader in(payload);
  KinetoPoll poll;
  poll.type = in.Get<std::int32_t>();
  const auto count = in.Get<std::int32_t>();
  poll.job = in.Get<std::int64_t>();
  if (count < 1 || static_cast<std::size_t>(count) > kMostKinetoPids ||
      payload.size() != 16 + 4 * static_cast<std::size_t>(count))
    return Error(StatusCode::kBadData, "a req of {} bytes is said to have {} pids", payload.size(),
                 count);
  poll.pids.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) poll.pids.push_back(in.Get<std::int32_t>());
  if (poll.pids.front() <= 0) return Error(StatusCode::kBadData, "{} is no pid", poll.pids.front());
  return KinetoMessage(std::move(poll));
}

}  // namespace

Result<KinetoMessage> ParseKinetoMessage(std::string_view datagram) {
  RS_ASSIGN_OR_RETURN(const Split split, SplitDatagram(datagram));
  if (split.type == kContextType) return ParseContext(split.payload);
  if (split.type == kPollType) return ParsePoll(split.payload);
  return Error(StatusCode::kBadData, "the type is neither ctxt nor req");
}

std::string KinetoContextReply(std::int32_t processes) {
  ByteWriter out;
  out.Put(processes);
  return DatagramOf(kContextType, out.bytes());
}

std::string KinetoConfigReply(std::string_view config) { return DatagramOf(kPollType, config); }

std::string ToDatagram(const KinetoContext& context) {
  ByteWriter out;
  out.Put(context.gpu);
  out.Put(context.pid);
  out.Put(context.job);
  return DatagramOf(kContextType, out.bytes());
}

std::string ToDatagram(const KinetoPoll& poll) {
  ByteWriter out;
  out.Put(poll.type);
  out.Put(static_cast<std::int32_t>(poll.pids.size()));
  out.Put(poll.job);
  for (const std::int32_t pid : poll.pids) out.Put(pid);
  return DatagramOf(kPollType, out.bytes());
}

Result<std::string> ParseKinetoReply(std::string_view datagram, std::string_view type) {
  RS_ASSIGN_OR_RETURN(const Split split, SplitDatagram(datagram));
  if (split.type != type)
    return Error(StatusCode::kBadData, "the reply is of type '{}', not '{}'", split.type, type);
  return std::string(split.payload);
}

}  // namespace rankscope::wire
