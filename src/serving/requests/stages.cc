#include "serving/requests/stages.h"

#include <algorithm>
#include <map>

namespace rankscope::serving {
namespace {

constexpr std::int64_t kRoundingNs = 1'000'000;

void Set(Parts& parts, Stage stage, std::int64_t ns) {
  parts.ns[static_cast<std::size_t>(stage)] = ns;
  parts.total += ns;
}

// What of `whole` is left behind `parts`; below 0 within rounding it is 0.
Ns Rest(std::int64_t whole, std::int64_t parts) {
  const std::int64_t rest = whole - parts;
  if (rest >= 0) return rest;
  return -rest <= std::max(kRoundingNs, whole / 100) ? Ns(0) : std::nullopt;
}

// Of a service: the stages that its recorder saw, whose sum is the request's time. Locks lie within
// the handler.
std::optional<Parts> PartsOfService(const Request& request, Parts parts) {
  const std::int64_t lock = request.lock.value_or(0);
  const Ns handler = Rest(*request.handler, lock);
  if (!handler) return std::nullopt;
  parts.depth = request.queue ? Depth::kService : Depth::kHandler;
  if (request.queue) Set(parts, Stage::kQueue, *request.queue);
  if (request.read) Set(parts, Stage::kRead, *request.read);
  if (request.lock) Set(parts, Stage::kLock, *request.handler - *handler);
  Set(parts, Stage::kHandler, *handler);
  if (request.send) Set(parts, Stage::kSend, *request.send);
  return parts;
}

}  // namespace

std::string_view ToString(Stage stage) {
  switch (stage) {
    case Stage::kNetwork:
      return "network";
    case Stage::kFrontend:
      return "frontend";
    case Stage::kQueue:
      return "queue";
    case Stage::kPrefill:
      return "prefill";
    case Stage::kFirstToken:
      return "first_token";
    case Stage::kDecode:
      return "decode";
    case Stage::kResponse:
      return "response";
    case Stage::kRead:
      return "read";
    case Stage::kLock:
      return "lock";
    case Stage::kHandler:
      return "handler";
    case Stage::kSend:
      return "send";
  }
  return "";
}

std::optional<Parts> PartsOf(const Request& request) {
  Parts parts;
  if (request.around) Set(parts, Stage::kNetwork, *request.around);
  if (request.handler) return PartsOfService(request, parts);
  if (request.queue && request.prefill && request.decode) {
    parts.depth = Depth::kAll;
    if (request.e2e) {
      const Ns rest = Rest(*request.e2e, *request.queue + *request.prefill + *request.decode);
      if (!rest) return std::nullopt;
      Set(parts, Stage::kFrontend, *rest);
    }
    Set(parts, Stage::kQueue, *request.queue);
    Set(parts, Stage::kPrefill, *request.prefill);
    Set(parts, Stage::kDecode, *request.decode);
    return parts;
  }
  if (!request.e2e) return std::nullopt;
  if (request.upstream) {
    const Ns rest = Rest(*request.e2e, *request.upstream);
    if (!rest) return std::nullopt;
    Set(parts, Stage::kNetwork, *rest);
    Set(parts, Stage::kResponse, *request.upstream);
    return parts;
  }
  // Of one token, or cancelled before one: all of it is the first.
  const Ns decode = request.ttft ? Rest(*request.e2e, *request.ttft) : std::nullopt;
  if (request.ttft && !decode) return std::nullopt;
  if (request.ttft && request.queue) {
    const Ns prefill = Rest(*request.ttft, *request.queue);
    if (!prefill) return std::nullopt;
    parts.depth = Depth::kQueue;
    Set(parts, Stage::kQueue, *request.queue);
    Set(parts, Stage::kPrefill, *prefill);
    Set(parts, Stage::kDecode, *decode);
    return parts;
  }
  if (request.ttft) {
    parts.depth = Depth::kFirstToken;
    Set(parts, Stage::kFirstToken, *request.ttft);
    Set(parts, Stage::kDecode, *decode);
    return parts;
  }
  if (request.queue) {
    const Ns rest = Rest(*request.e2e, *request.queue);
    if (!rest) return std::nullopt;
    parts.depth = Depth::kQueue;
    Set(parts, Stage::kQueue, *request.queue);
    Set(parts, Stage::kResponse, *rest);
    return parts;
  }
  Set(parts, Stage::kResponse, *request.e2e);
  return parts;
}

Population Choose(const std::vector<Request>& requests) {
  Population chosen;
  std::map<std::pair<Depth, Side>, std::vector<std::size_t>> groups;
  std::vector<std::optional<Parts>> all(requests.size());
  std::int64_t done = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Request& request = requests[i];
    if (request.outcome == Outcome::kFailed) {
      ++chosen.failed;
      continue;
    }
    if (request.outcome == Outcome::kCancelled) {
      ++chosen.cancelled;
      continue;
    }
    if (!request.e2e && !request.handler && !(request.queue && request.prefill && request.decode)) {
      // What an access log lacks is said of its file.
      chosen.without_duration += request.side != Side::kProxy;
      continue;
    }
    all[i] = PartsOf(request);
    if (!all[i]) {
      ++chosen.contradictory;
      continue;
    }
    ++done;
    groups[{all[i]->depth, request.side}].push_back(i);
  }
  std::size_t most = 0;
  for (const auto& [key, group] : groups) most = std::max(most, group.size());
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    if (group->second.size() * 2 < most) continue;
    chosen.depth = group->first.first;
    chosen.side = group->first.second;
    chosen.requests = std::move(group->second);
    break;
  }
  for (const std::size_t i : chosen.requests) chosen.parts.push_back(*all[i]);
  chosen.others = done - static_cast<std::int64_t>(chosen.requests.size());
  return chosen;
}

}  // namespace rankscope::serving
