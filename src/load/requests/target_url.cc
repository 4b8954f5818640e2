#include "load/requests/target_url.h"

#include <algorithm>
#include <string>

namespace rankscope::load {
namespace {

std::string_view WithoutSlash(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

std::string PathOf(std::string_view path, Endpoint endpoint) {
  if (endpoint == Endpoint::kPlain || !WithoutSlash(path).ends_with("/v1"))
    return std::string(path);
  return std::string(WithoutSlash(path)) +
         (endpoint == Endpoint::kChat ? "/chat/completions" : "/completions");
}

}  // namespace

Status TakeUrl(std::string_view url, Target& target) {
  for (const std::string_view scheme : {"grpc://", "grpcs://"}) {
    if (url.starts_with(scheme))
      return Error(StatusCode::kInvalidArgument,
                   "'{}': load sends HTTP, not gRPC: give the server's HTTP address, such as "
                   "http://127.0.0.1:8000",
                   url);
  }
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?", host), url.size());
  auto address = http::ParseAddress(url.substr(0, end));
  if (!address.ok())
    return Error(StatusCode::kInvalidArgument,
                 "'{}' is no address of an HTTP server: give one such as http://127.0.0.1:8000, "
                 "with a path where requests have their own (or --path)",
                 url);
  target.address = *std::move(address);
  std::string path(url.substr(end));
  if (WithoutSlash(path).empty()) return OkStatus();
  if (!path.starts_with('/')) path.insert(0, "/");
  if (!target.path.empty())
    return Error(StatusCode::kInvalidArgument,
                 "'{}' has a path, and --path is {}: give one of them", url, target.path);
  target.path = PathOf(path, target.endpoint);
  return OkStatus();
}

}  // namespace rankscope::load
