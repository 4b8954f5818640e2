#include "service/requests/route.h"

#include "http/url.h"

namespace rankscope::service {
namespace {

bool IsArgument(std::string_view segment) { return segment.starts_with('{'); }
bool TakesRest(std::string_view segment) { return segment.ends_with("...}"); }

// The arguments of a path that fits.
std::optional<std::vector<std::string>> ArgumentsOf(std::string_view pattern,
                                                    std::string_view path) {
  const auto wanted = http::Segments(pattern);
  const auto given = http::Segments(path);
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i >= given.size()) return std::nullopt;
    if (TakesRest(wanted[i])) {
      arguments.emplace_back(given[i].begin(), path.end());
      return arguments;
    }
    if (IsArgument(wanted[i])) {
      arguments.emplace_back(given[i]);
    } else if (wanted[i] != given[i]) {
      return std::nullopt;
    }
  }
  if (given.size() != wanted.size()) return std::nullopt;
  return arguments;
}

}  // namespace

void RouteTable::Add(std::vector<Route> routes) {
  for (Route& route : routes) routes_.push_back(std::move(route));
}

Match RouteTable::Find(std::string_view method, std::string_view path) const {
  Match match;
  const Route* as_get = nullptr;
  std::vector<std::string> get_arguments;
  for (const Route& route : routes_) {
    auto arguments = ArgumentsOf(route.pattern, path);
    if (!arguments) continue;
    if (route.method == method) {
      match.route = &route;
      match.arguments = std::move(*arguments);
      return match;
    }
    if (method == "HEAD" && route.method == "GET") {
      as_get = &route;
      get_arguments = std::move(*arguments);
    }
    match.allowed += (match.allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  match.route = as_get;
  match.arguments = std::move(get_arguments);
  return match;
}

}  // namespace rankscope::service
