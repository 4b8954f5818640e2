#include "serving/requests/join.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <set>
#include <tuple>

namespace rankscope::serving {
namespace {

constexpr std::size_t kTwice = std::numeric_limits<std::size_t>::max();

std::string_view BareId(std::string_view id) {
  for (const std::string_view prefix : {"chatcmpl-", "cmpl-"}) {
    if (id.starts_with(prefix)) return id.substr(prefix.size());
  }
  return id;
}

using Index = boost::unordered_flat_map<std::string_view, std::size_t>;

void Add(Index& index, std::string_view key, std::size_t request) {
  if (key.empty()) return;
  const auto [at, is_new] = index.emplace(key, request);
  if (!is_new) at->second = kTwice;
}

std::size_t Find(const Index& index, std::string_view key) {
  const auto found = key.empty() ? index.end() : index.find(key);
  return found == index.end() ? kTwice : found->second;
}

// The server's record with what the outer side knows besides.
void Merge(Request& server, const Request& outer) {
  if (server.e2e && outer.e2e && *outer.e2e >= *server.e2e)
    server.around = *outer.e2e - *server.e2e;
  if (!server.prompt_tokens) server.prompt_tokens = outer.prompt_tokens;
  if (!server.output_tokens) server.output_tokens = outer.output_tokens;
  if (server.gaps.empty()) server.gaps = outer.gaps;
  if (outer.outcome != Outcome::kDone && server.outcome == Outcome::kDone) {
    server.outcome = outer.outcome;
    server.problem = outer.problem;
  }
}

Ns Less(Ns whole, Ns part) {
  return whole && part && *whole >= *part ? Ns(*whole - *part) : std::nullopt;
}

// By its record alone; spans of services around the server belong to its time.
Told ToldBy(const Request& request) {
  Told told{.arrival = request.arrival,
            .e2e = request.e2e,
            .ttft = request.ttft,
            .decode = request.decode,
            .has_wall_clock = request.has_wall_clock,
            .level = request.level,
            .recorders = {{request.source, request.side}}};
  if (!told.ttft && request.queue && request.prefill) told.ttft = *request.queue + *request.prefill;
  if (!told.decode) told.decode = Less(told.e2e, told.ttft);
  if (told.e2e && request.around) *told.e2e += *request.around;
  return told;
}

// What the outer side does not tell is the server's.
void TakeOuter(Told& told, const Request& outer) {
  if (outer.arrival) {
    told.arrival = outer.arrival;
    told.has_wall_clock = outer.has_wall_clock;
  }
  if (outer.level >= 0) told.level = outer.level;
  if (outer.e2e) told.e2e = outer.e2e;
  if (outer.ttft) {
    told.ttft = outer.ttft;
    const Ns decode = outer.decode ? outer.decode : Less(outer.e2e, outer.ttft);
    if (decode) told.decode = decode;
  }
}

// A file and its packed copy in one folder.
std::vector<Request> WithoutCopies(const std::vector<Request>& requests, std::int64_t& repeated) {
  std::set<std::tuple<std::string_view, Side, std::int64_t, std::int64_t>> seen;
  std::vector<Request> kept;
  kept.reserve(requests.size());
  for (const Request& request : requests) {
    const Ns length = request.e2e ? request.e2e : request.handler;
    const bool is_known = !request.id.empty() && request.arrival && length;
    if (is_known && !seen.emplace(request.id, request.side, *request.arrival, *length).second) {
      ++repeated;
      continue;
    }
    kept.push_back(request);
  }
  return kept;
}

}  // namespace

Joined JoinRequests(const std::vector<Request>& all) {
  Joined result;
  const std::vector<Request> requests = WithoutCopies(all, result.repeated);
  Index by_id, by_trace;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].side != Side::kServer) continue;
    Add(by_id, BareId(requests[i].id), i);
    Add(by_trace, requests[i].trace_id, i);
  }
  // Of each server's request the outer records, the client's before a proxy's.
  std::vector<std::size_t> outer_of(requests.size(), kTwice);
  std::vector<bool> is_taken(requests.size());
  std::vector<std::vector<std::size_t>> others_of(requests.size());
  for (const Side side : {Side::kClient, Side::kProxy}) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].side != side) continue;
      std::size_t server = Find(by_id, BareId(requests[i].id));
      if (server == kTwice) server = Find(by_trace, requests[i].trace_id);
      if (server == kTwice) continue;
      if (outer_of[server] == kTwice) {
        outer_of[server] = i;
        is_taken[i] = true;
      } else if (requests[outer_of[server]].side != side) {
        is_taken[i] = true;  // of the client as well, which measured more
        others_of[server].push_back(i);
      }
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (!is_taken[i]) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return requests[i].arrival.value_or(std::numeric_limits<std::int64_t>::max());
  });
  for (const std::size_t i : order) {
    result.told.push_back(ToldBy(requests[i]));
    result.requests.push_back(requests[i]);
    if (outer_of[i] == kTwice) continue;
    const Request& outer = requests[outer_of[i]];
    others_of[i].push_back(outer_of[i]);
    Told& told = result.told.back();
    TakeOuter(told, outer);
    for (const std::size_t other : others_of[i])
      told.recorders.emplace_back(requests[other].source, requests[other].side);
    Merge(result.requests.back(), outer);
    ++result.joined;
  }
  return result;
}

}  // namespace rankscope::serving
