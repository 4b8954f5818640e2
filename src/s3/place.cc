#include "s3/place.h"

#include <algorithm>
#include <cstdlib>

namespace rankscope::s3 {
namespace {

constexpr std::string_view kScheme = "s3://";

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// As S3 takes names of buckets: 3 to 63 of a-z 0-9 . -
bool IsBucketName(std::string_view name) {
  return name.size() >= 3 && name.size() <= 63 && IsLowerOrDigit(name.front()) &&
         IsLowerOrDigit(name.back()) && std::ranges::all_of(name, [](char c) {
           return IsLowerOrDigit(c) || c == '.' || c == '-';
         });
}

bool IsRegion(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
}

// Blanks and control bytes would end a line of what is sent.
bool IsVisible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

// "https://host[:port]", with at most a slash behind it; keys in it would be printed.
bool IsEndpoint(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos || !IsVisible(text)) return false;
  const std::string_view scheme = text.substr(0, colon), rest = text.substr(colon + 3);
  return (scheme == "http" || scheme == "https") && !rest.empty() &&
         rest.find_first_of("/?#@\\\"") == std::string_view::npos;
}

std::string_view WithoutSlashes(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string Place::Text() const {
  return prefix.empty() ? fmt::format("s3://{}", bucket)
                        : fmt::format("s3://{}/{}", bucket, prefix);
}

std::string Place::Key(std::string_view below) const {
  return prefix.empty() ? std::string(below) : fmt::format("{}/{}", prefix, below);
}

Environment ProcessEnvironment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
}

Result<Place> ParsePlace(std::string_view text, std::string_view endpoint, std::string_view region,
                         const Environment& environment) {
  if (!text.starts_with(kScheme))
    return Error(StatusCode::kInvalidArgument, "'{}': a place in S3 is s3://BUCKET/PREFIX", text);
  const std::string_view rest = text.substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  Place place;
  place.bucket = rest.substr(0, slash);
  if (slash != std::string_view::npos) place.prefix = WithoutSlashes(rest.substr(slash));
  if (!IsBucketName(place.bucket)) {
    return Error(StatusCode::kInvalidArgument,
                 "'{}': '{}' is no name of a bucket: 3 to 63 small letters, digits, dots and "
                 "dashes",
                 text, place.bucket);
  }
  if (!IsVisible(place.prefix) || place.prefix.size() > 512) {
    return Error(StatusCode::kInvalidArgument,
                 "'{}': a prefix has visible letters of ASCII, at most 512", text);
  }
  const auto either = [&](std::string_view said, const char* first, const char* second) {
    if (!said.empty()) return std::string(said);
    if (auto value = environment(first)) return *value;
    return environment(second).value_or("");
  };
  place.endpoint = either(endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL");
  if (place.endpoint.ends_with('/')) place.endpoint.pop_back();
  if (!place.endpoint.empty() && !IsEndpoint(place.endpoint)) {
    return Error(StatusCode::kInvalidArgument,
                 "the endpoint of S3 (--s3-endpoint, AWS_ENDPOINT_URL) is http://HOST[:PORT] or "
                 "https://HOST[:PORT], without a path or keys");
  }
  place.region = either(region, "AWS_REGION", "AWS_DEFAULT_REGION");
  if (place.region.empty()) place.region = "us-east-1";
  if (!IsRegion(place.region)) {
    return Error(StatusCode::kInvalidArgument,
                 "'{}' is no region of S3 (--s3-region, AWS_REGION): letters, digits and dashes",
                 place.region);
  }
  return place;
}

Result<Credentials> CredentialsOf(const Environment& environment) {
  const auto id = environment("AWS_ACCESS_KEY_ID");
  const auto secret = environment("AWS_SECRET_ACCESS_KEY");
  if (!id || !secret) {
    return Error(StatusCode::kInvalidArgument,
                 "S3 needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY ({} is not set)",
                 id ? "the second" : "the first");
  }
  Credentials keys{*id, *secret, environment("AWS_SESSION_TOKEN").value_or("")};
  if (!IsVisible(keys.key_id) || !IsVisible(keys.session_token)) {
    return Error(StatusCode::kInvalidArgument,
                 "AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN have visible letters of ASCII alone: one "
                 "of them has a blank or another byte");
  }
  return keys;
}

BaseAddress AddressOf(const Place& place) {
  if (place.endpoint.empty()) {
    // Certificates of AWS are good for one label before the region's name.
    const bool is_label = place.bucket.find('.') == std::string::npos;
    const std::string host = fmt::format("s3.{}.amazonaws.com", place.region);
    return is_label ? BaseAddress{"https", place.bucket + "." + host, ""}
                    : BaseAddress{"https", host, "/" + place.bucket};
  }
  const std::size_t colon = place.endpoint.find("://");
  BaseAddress address{place.endpoint.substr(0, colon), place.endpoint.substr(colon + 3),
                      "/" + place.bucket};
  // A port that is the scheme's own is not sent in Host, and so not signed.
  const std::string_view usual = address.scheme == "http" ? ":80" : ":443";
  if (address.host.ends_with(usual)) address.host.resize(address.host.size() - usual.size());
  return address;
}

}  // namespace rankscope::s3
