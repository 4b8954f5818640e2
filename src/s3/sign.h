// Signatures of S3 requests (AWS Signature Version 4) as pure functions: no clock, no network, no
// environment.
//
// What is easily got wrong, and what libcurl 7.88's own signer gets wrong: S3 encodes each segment
// of a path once and leaves `.` and `..` as they are; a query is sorted by its encoded names, and a
// name without a value is signed as `name=`; values of headers are trimmed; a port that is not the
// scheme's is part of the host.
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
  std::string session_token;  // "": the keys are no temporary ones
};

using fetch::Pairs;

// A request as it will be sent, nothing in it encoded yet.
struct Signable {
  std::string method;
  std::string host;     // with its port where that is not the scheme's
  std::string path;     // "/bucket/a key"
  Pairs query;          // names and values
  Pairs headers;        // all that are to be signed, `host` and those of the signature left out
  std::string payload;  // the body's SHA-256, or kUnsignedPayload
};

inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

// Every byte but A-Z a-z 0-9 - . _ ~ as %XX; of a path, `/` stays.
std::string EncodeQuery(std::string_view text);
std::string EncodePath(std::string_view path);
// "a=1&b=": sorted, encoded.
std::string CanonicalQuery(const Pairs& query);

// "20130524T000000Z" of seconds since 1970.
std::string SigningTime(std::int64_t now_s);

// The text that is hashed, with `headers` in lower case, trimmed and sorted; "host" among them.
std::string CanonicalRequest(const Signable& request);
// AWS4-HMAC-SHA256, the time, the scope and the canonical request's hash.
std::string StringToSign(std::string_view time, std::string_view region,
                         std::string_view canonical_request);
// 32 bytes, good for one day, region and the service s3.
std::string SigningKey(std::string_view secret, std::string_view date, std::string_view region);

// The headers that are to be sent with the request: all of `request`'s, and x-amz-date,
// x-amz-content-sha256, x-amz-security-token where there is one, and authorization. Without host.
Pairs SignedHeaders(const Signable& request, const Credentials& credentials,
                    std::string_view region, std::int64_t now_s);

// The query, encoded, of an address that whoever has it may use for `valid_s` seconds (at most
// 604,800), with the host and the request's headers signed and the body not.
std::string PresignedQuery(const Signable& request, const Credentials& credentials,
                           std::string_view region, std::int64_t now_s, std::int64_t valid_s);

}  // namespace rankscope::s3
