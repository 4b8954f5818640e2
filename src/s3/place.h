// The location of a bucket and the credentials: from the user (s3://BUCKET/PREFIX, an endpoint, a
// region) and from the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "s3/sign.h"

namespace rankscope::s3 {

struct Place {
  std::string bucket;
  std::string prefix;    // without leading and trailing slashes; "": the bucket's top
  std::string endpoint;  // "https://host[:port]"; "": AWS
  std::string region;

  bool operator==(const Place&) const = default;

  // "s3://bucket/prefix"
  std::string Text() const;
  // "prefix/below", or "below" without a prefix.
  std::string Key(std::string_view below) const;
};

// Reads one variable; nullopt if it is not set. Tests replace it.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment ProcessEnvironment();

// `text` is s3://BUCKET or s3://BUCKET/PREFIX. An empty `endpoint` is taken from
// AWS_ENDPOINT_URL_S3, then AWS_ENDPOINT_URL; an empty `region` from AWS_REGION, then
// AWS_DEFAULT_REGION. The defaults are AWS and us-east-1. kInvalidArgument if invalid.
Result<Place> ParsePlace(std::string_view text, std::string_view endpoint, std::string_view region,
                         const Environment& environment);

// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. kInvalidArgument without them.
Result<Credentials> CredentialsOf(const Environment& environment);

// The address of the bucket: on AWS its name is part of the host name, if the name is valid there
// and has no dots; otherwise part of the path, which every other store accepts.
struct BaseAddress {
  std::string scheme;       // "http" or "https"
  std::string host;         // with the port, unless it is the scheme's default
  std::string path_prefix;  // "" or "/bucket"
};
BaseAddress AddressOf(const Place& place);

}  // namespace rankscope::s3
