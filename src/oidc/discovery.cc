#include <algorithm>

#include "oidc/provider.h"

namespace rankscope::oidc {
namespace {

// "http://127.0.0.1:80/x": 127.0.0.1
std::string_view HostOf(std::string_view url) {
  url.remove_prefix(std::min(url.find("://") + 3, url.size()));
  url = url.substr(0, url.find_first_of("/?#"));
  if (url.starts_with('[')) return url.substr(0, url.find(']') + 1);
  return url.substr(0, url.find(':'));
}

bool IsThisMachine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

Result<std::string> AddressIn(const json::Value& document, std::string_view name) {
  RS_ASSIGN_OR_RETURN(const std::string_view url, document[name].NeedText());
  const Status status = CheckAddress(name, url);
  if (!status.ok()) return Status(StatusCode::kBadData, status.message());
  return std::string(url);
}

}  // namespace

Status CheckAddress(std::string_view what, std::string_view url) {
  const bool is_plain =
      url.size() <= 2000 && std::ranges::all_of(url, [](char c) {
        return c > ' ' && c < 0x7f &&
               std::string_view("\"'<>\\^`{|}@#").find(c) == std::string_view::npos;
      });
  const std::string_view host = HostOf(url);
  const bool is_safe =
      url.starts_with("https://") || (url.starts_with("http://") && IsThisMachine(host));
  if (is_plain && is_safe && !host.empty()) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "{} '{}': an address https://... is needed, since secrets go there (http:// to this "
               "machine alone)",
               what, Shown(url));
}

Result<Discovered> ReadDiscovery(std::string_view json, std::string_view issuer) {
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(json));
  const json::Value document = reader.root();
  RS_ASSIGN_OR_RETURN(const std::string_view stated, document["issuer"].NeedText());
  if (stated != issuer) {
    return Error(StatusCode::kBadData,
                 "it is of the issuer '{}', and not of '{}': --oidc-issuer has to be the same, "
                 "letter by letter",
                 Shown(stated), issuer);
  }
  Discovered discovered;
  RS_ASSIGN_OR_RETURN(discovered.authorization_endpoint,
                      AddressIn(document, "authorization_endpoint"));
  RS_ASSIGN_OR_RETURN(discovered.token_endpoint, AddressIn(document, "token_endpoint"));
  RS_ASSIGN_OR_RETURN(discovered.jwks_uri, AddressIn(document, "jwks_uri"));
  if (document["userinfo_endpoint"].IsKnown()) {
    RS_ASSIGN_OR_RETURN(discovered.userinfo_endpoint, AddressIn(document, "userinfo_endpoint"));
  }
  // Without the member it is client_secret_basic.
  const auto ways = document["token_endpoint_auth_methods_supported"].Items();
  const auto has = [&ways](std::string_view way) {
    return std::ranges::any_of(ways, [way](const json::Value& one) { return one.Text() == way; });
  };
  discovered.takes_basic = has("client_secret_basic") || !has("client_secret_post");
  discovered.states_issuer =
      document["authorization_response_iss_parameter_supported"].Flag().value_or(false);
  return discovered;
}

}  // namespace rankscope::oidc
