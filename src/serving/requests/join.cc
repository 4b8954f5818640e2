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

// A file and its packed copy in one folder.
std::vector<Request> WithoutCopies(const std::vector<Request>& requests, std::int64_t& repeated) {
  std::set<std::tuple<std::string_view, Side, std::int64_t, std::int64_t>> seen;
  std::vector<Request> kept;
  kept.reserve(requests.size());
  for (const Request& request : requests) {
    const bool is_known = !request.id.empty() && request.arrival && request.e2e;
    if (is_known &&
        !seen.emplace(request.id, request.side, *request.arrival, *request.e2e).second) {
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
      }
    }
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (is_taken[i]) continue;
    result.requests.push_back(requests[i]);
    if (outer_of[i] == kTwice) continue;
    Merge(result.requests.back(), requests[outer_of[i]]);
    ++result.joined;
  }
  std::ranges::stable_sort(result.requests, {}, [](const Request& request) {
    return request.arrival.value_or(std::numeric_limits<std::int64_t>::max());
  });
  return result;
}

}  // namespace rankscope::serving
