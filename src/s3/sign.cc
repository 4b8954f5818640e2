#include "s3/sign.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "base/letter_case.h"
#include "s3/digest.h"

namespace rankscope::s3 {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

bool IsUnreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string Encode(std::string_view text, bool (*stays)(char)) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (stays(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 15];
  }
  return encoded;
}

// Without blanks at its ends, and with one in place of several.
std::string Trimmed(std::string_view value) {
  std::string trimmed;
  for (const char c : value) {
    const bool is_blank = c == ' ' || c == '\t';
    if (!is_blank) {
      trimmed += c;
    } else if (!trimmed.empty() && trimmed.back() != ' ') {
      trimmed += ' ';
    }
  }
  if (!trimmed.empty() && trimmed.back() == ' ') trimmed.pop_back();
  return trimmed;
}

Pairs CanonicalHeaders(const Signable& request) {
  Pairs headers = {{"host", request.host}};
  for (const auto& [name, value] : request.headers)
    headers.emplace_back(LowerCase(name), Trimmed(value));
  std::ranges::stable_sort(headers, {}, &std::pair<std::string, std::string>::first);
  return headers;
}

std::string NamesOf(const Pairs& headers) {
  std::string names;
  for (const auto& [name, value] : headers) {
    if (!names.empty()) names += ';';
    names += name;
  }
  return names;
}

std::string ScopeOf(std::string_view time, std::string_view region) {
  return fmt::format("{}/{}/s3/aws4_request", time.substr(0, 8), region);
}

std::string SignatureOf(const Signable& request, const Credentials& credentials,
                        std::string_view region, std::string_view time) {
  const std::string text = StringToSign(time, region, CanonicalRequest(request));
  return Hex(HmacSha256(SigningKey(credentials.secret, time.substr(0, 8), region), text));
}

}  // namespace

std::string EncodeQuery(std::string_view text) { return Encode(text, IsUnreserved); }

std::string EncodePath(std::string_view path) {
  return Encode(path, [](char c) { return c == '/' || IsUnreserved(c); });
}

std::string CanonicalQuery(const Pairs& query) {
  Pairs encoded;
  for (const auto& [name, value] : query)
    encoded.emplace_back(EncodeQuery(name), EncodeQuery(value));
  std::ranges::sort(encoded);
  std::string text;
  for (const auto& [name, value] : encoded) {
    if (!text.empty()) text += '&';
    text += name + "=" + value;
  }
  return text;
}

std::string SigningTime(std::int64_t now_s) {
  const std::time_t time = now_s;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "19700101T000000Z";
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &parts)};
}

std::string CanonicalRequest(const Signable& request) {
  const Pairs headers = CanonicalHeaders(request);
  std::string text = fmt::format("{}\n{}\n{}\n", request.method, EncodePath(request.path),
                                 CanonicalQuery(request.query));
  for (const auto& [name, value] : headers) text += fmt::format("{}:{}\n", name, value);
  text += fmt::format("\n{}\n{}", NamesOf(headers), request.payload);
  return text;
}

std::string StringToSign(std::string_view time, std::string_view region,
                         std::string_view canonical_request) {
  return fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, ScopeOf(time, region),
                     HexSha256(canonical_request));
}

std::string SigningKey(std::string_view secret, std::string_view date, std::string_view region) {
  const std::string of_date = HmacSha256(fmt::format("AWS4{}", secret), date);
  return HmacSha256(HmacSha256(HmacSha256(of_date, region), "s3"), "aws4_request");
}

Pairs SignedHeaders(const Signable& request, const Credentials& credentials,
                    std::string_view region, std::int64_t now_s) {
  const std::string time = SigningTime(now_s);
  Signable whole = request;
  whole.headers.emplace_back("x-amz-date", time);
  whole.headers.emplace_back("x-amz-content-sha256", request.payload);
  if (!credentials.session_token.empty())
    whole.headers.emplace_back("x-amz-security-token", credentials.session_token);
  const std::string signature = SignatureOf(whole, credentials, region, time);
  Pairs headers = whole.headers;
  headers.emplace_back("authorization",
                       fmt::format("{} Credential={}/{},SignedHeaders={},Signature={}", kAlgorithm,
                                   credentials.key_id, ScopeOf(time, region),
                                   NamesOf(CanonicalHeaders(whole)), signature));
  return headers;
}

std::string PresignedQuery(const Signable& request, const Credentials& credentials,
                           std::string_view region, std::int64_t now_s, std::int64_t valid_s) {
  const std::string time = SigningTime(now_s);
  Signable whole = request;
  whole.payload = kUnsignedPayload;
  const auto add = [&](std::string_view name, std::string value) {
    whole.query.emplace_back(name, std::move(value));
  };
  add("X-Amz-Algorithm", std::string(kAlgorithm));
  add("X-Amz-Credential", fmt::format("{}/{}", credentials.key_id, ScopeOf(time, region)));
  add("X-Amz-Date", time);
  add("X-Amz-Expires", std::to_string(valid_s));
  if (!credentials.session_token.empty()) add("X-Amz-Security-Token", credentials.session_token);
  add("X-Amz-SignedHeaders", NamesOf(CanonicalHeaders(whole)));
  const std::string signature = SignatureOf(whole, credentials, region, time);
  return CanonicalQuery(whole.query) + "&X-Amz-Signature=" + signature;
}

}  // namespace rankscope::s3
