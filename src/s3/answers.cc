#include "s3/answers.h"

#include <array>
#include <charconv>
#include <chrono>

#include "s3/xml.h"

namespace rankscope::s3 {
namespace {

constexpr std::size_t kMostMessageBytes = 200;

// What others wrote goes into sentences and logs.
std::string Shown(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kMostMessageBytes)) shown += c >= ' ' && c < 0x7f ? c : '?';
  return shown;
}

// All of `text`.
template <typename Number>
std::optional<Number> NumberOf(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> SecondsOf(int year, int month, int day, int hour, int minute,
                                      int second) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < 1970 || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

// Digits of `text` at a place; below 0 for what is none.
int Digits(std::string_view text, std::size_t at, std::size_t count) {
  int number = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

Status NotAnswer(std::string_view what, std::string_view why) {
  return Error(StatusCode::kBadData, "the answer is no {}: {}", what, why);
}

Result<XmlElement> Answer(std::string_view body, std::string_view element) {
  auto root = ParseXml(body);
  if (!root.ok()) return NotAnswer(element, root.status().message());
  if (root->name != element) return NotAnswer(element, Shown(root->name));
  return root;
}

Result<Listed> ReadListed(const XmlElement& element) {
  const auto bytes = NumberOf<std::uint64_t>(element.TextOf("Size"));
  const auto modified_s = ParseIsoTime(element.TextOf("LastModified"));
  Listed listed{std::string(element.TextOf("Key")), bytes.value_or(0), modified_s.value_or(0)};
  if (listed.key.empty() || !bytes || !modified_s)
    return NotAnswer("ListBucketResult", "a key without its size or time");
  return listed;
}

}  // namespace

Refusal ReadRefusal(std::string_view body) {
  const auto root = ParseXml(body);
  if (!root.ok() || root->name != "Error") return {};
  return {Shown(root->TextOf("Code")), Shown(root->TextOf("Message"))};
}

Result<ListPage> ReadListPage(std::string_view body) {
  RS_ASSIGN_OR_RETURN(const XmlElement root, Answer(body, "ListBucketResult"));
  ListPage page;
  for (const XmlElement& child : root.children) {
    if (child.name != "Contents") continue;
    RS_ASSIGN_OR_RETURN(Listed listed, ReadListed(child));
    page.objects.push_back(std::move(listed));
  }
  if (root.TextOf("IsTruncated") != "true") return page;
  page.next = root.TextOf("NextContinuationToken");
  if (page.next.empty()) return NotAnswer("ListBucketResult", "it goes on nowhere");
  return page;
}

Result<UploadsPage> ReadUploadsPage(std::string_view body) {
  RS_ASSIGN_OR_RETURN(const XmlElement root, Answer(body, "ListMultipartUploadsResult"));
  UploadsPage page;
  for (const XmlElement& child : root.children) {
    if (child.name != "Upload") continue;
    BegunUpload upload{std::string(child.TextOf("Key")), std::string(child.TextOf("UploadId")), 0};
    const auto begun_s = ParseIsoTime(child.TextOf("Initiated"));
    if (upload.key.empty() || upload.id.empty() || !begun_s)
      return NotAnswer("ListMultipartUploadsResult", "an upload without its key, id or time");
    upload.begun_s = *begun_s;
    page.uploads.push_back(std::move(upload));
  }
  if (root.TextOf("IsTruncated") != "true") return page;
  page.next_key = root.TextOf("NextKeyMarker");
  page.next_id = root.TextOf("NextUploadIdMarker");
  if (page.next_key.empty()) return NotAnswer("ListMultipartUploadsResult", "it goes on nowhere");
  return page;
}

Result<std::string> ReadUploadId(std::string_view body) {
  RS_ASSIGN_OR_RETURN(const XmlElement root, Answer(body, "InitiateMultipartUploadResult"));
  std::string id(root.TextOf("UploadId"));
  if (id.empty()) return NotAnswer("InitiateMultipartUploadResult", "it has no UploadId");
  return id;
}

std::optional<Refusal> ReadDone(std::string_view body, std::string_view element) {
  const auto root = ParseXml(body);
  if (root.ok() && root->name == element) return std::nullopt;
  Refusal refusal = ReadRefusal(body);
  // Cut off, or of something else between: whether it was done is not known.
  if (refusal.code.empty()) refusal = {"InternalError", "an answer that is none of S3's"};
  return refusal;
}

std::optional<std::int64_t> ParseIsoTime(std::string_view text) {
  if (text.size() < 20 || text.back() != 'Z' || text[4] != '-' || text[7] != '-' ||
      text[10] != 'T' || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const int year = Digits(text, 0, 4), month = Digits(text, 5, 2), day = Digits(text, 8, 2);
  const int hour = Digits(text, 11, 2), minute = Digits(text, 14, 2), second = Digits(text, 17, 2);
  if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0) return std::nullopt;
  return SecondsOf(year, month, day, hour, minute, second);
}

std::optional<std::int64_t> ParseHttpTime(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  // "Sat, 28 Nov 2026 18:54:47 GMT"
  if (text.size() != 29 || text.substr(25) != " GMT" || text[3] != ',') return std::nullopt;
  int month = 0;
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (text.substr(8, 3) == kMonths[i]) month = static_cast<int>(i) + 1;
  }
  const int day = Digits(text, 5, 2), year = Digits(text, 12, 4);
  const int hour = Digits(text, 17, 2), minute = Digits(text, 20, 2), second = Digits(text, 23, 2);
  if (month == 0 || day < 0 || year < 0 || hour < 0 || minute < 0 || second < 0)
    return std::nullopt;
  return SecondsOf(year, month, day, hour, minute, second);
}

}  // namespace rankscope::s3
