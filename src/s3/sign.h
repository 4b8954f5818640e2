// Signatures of S3 requests (AWS Signature Version 4) as pure functions: no clock, no network, no
// environment.
//
// Details that are easy to get wrong, also by libcurl 7.88's own signer: S3 encodes each path
// segment once and keeps `.` and `..` unchanged; a query is sorted by its encoded names, and a name
// without a value is signed as `name=`; header values are trimmed; a port is part of the host
// unless it is the scheme's default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fetch/transport.h"

namespace rankscope::s3 {

// Keys of an account. Never printed.
struct Credentials {
  std::string key_id;
  std::string secret;
  std::string session_token;  // "": the keys are not temporary
};

using fetch::Pairs;

// A request to be sent, not encoded yet.
struct Signable {
  std::string method;
  std::string host;     // with the port, unless it is the scheme's default
  std::string path;     // "/bucket/a key"
  Pairs query;          // names and values
  Pairs headers;        // headers to sign, without `host` and those of the signature
  std::string payload;  // the body's SHA-256, or kUnsignedPayload
};

inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

// Every byte except A-Z a-z 0-9 - . _ ~ as %XX; in a path `/` stays.
std::string EncodeQuery(std::string_view text);
std::string EncodePath(std::string_view path);
// "a=1&b=": sorted, encoded.
std::string CanonicalQuery(const Pairs& query);

// "20130524T000000Z", from seconds since 1970.
std::string SigningTime(std::int64_t now_s);

// The text to hash, with `headers` in lower case, trimmed and sorted, including "host".
std::string CanonicalRequest(const Signable& request);
// AWS4-HMAC-SHA256, the time, the scope and the canonical request's hash.
std::string StringToSign(std::string_view time, std::string_view region,
                         std::string_view canonical_request);
// 32 bytes, valid for one day, region and the service s3.
std::string SigningKey(std::string_view secret, std::string_view date, std::string_view region);

// The headers to send with the request: those of `request`, x-amz-date, x-amz-content-sha256,
// authorization, and x-amz-security-token if there is a token. Without host.
Pairs SignedHeaders(const Signable& request, const Credentials& credentials,
                    std::string_view region, std::int64_t now_s);

// The encoded query of an address that anyone may use for `valid_s` seconds (at most 604,800). The
// host and the request's headers are signed, the body is not.
std::string PresignedQuery(const Signable& request, const Credentials& credentials,
                           std::string_view region, std::int64_t now_s, std::int64_t valid_s);

}  // namespace rankscope::s3
