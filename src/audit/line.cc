#include "audit/line.h"

#include "base/utf8.h"
#include "json/fields.h"
#include "store/sha256.h"

namespace rankscope::audit {
namespace {

constexpr std::string_view kHashBegin = ",\"hash\":\"";
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kHashSize = 64;
constexpr std::size_t kMostText = 500;

// At most so many bytes of UTF-8.
std::string Cut(const std::string& text) {
  if (!IsValidUtf8(text)) return "(no UTF-8)";
  if (text.size() <= kMostText) return text;
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

}  // namespace

std::string LineBehind(Head& head, api::AuditEntry entry) {
  for (std::string* const text : {&entry.who, &entry.role, &entry.team, &entry.from, &entry.act,
                                  &entry.run, &entry.target, &entry.outcome, &entry.detail}) {
    *text = Cut(*text);
  }
  entry.number = head.number + 1;
  entry.before = head.hash;
  entry.hash.clear();
  // The hash is the last member: what stands before it is hashed.
  std::string line = json::ToJson(entry);
  line.resize(line.size() - kHashBegin.size() - kEnd.size());
  head = {.number = entry.number, .hash = store::Sha256Of(line)};
  return line.append(kHashBegin).append(head.hash).append(kEnd);
}

Result<api::AuditEntry> ReadLine(std::string_view line) {
  const std::size_t tail = kHashBegin.size() + kHashSize + kEnd.size();
  if (line.size() <= tail || line.substr(line.size() - tail, kHashBegin.size()) != kHashBegin)
    return Error(StatusCode::kBadData, "it is no line of an audit log");
  const std::string_view hashed = line.substr(0, line.size() - tail);
  const std::string_view hash = line.substr(hashed.size() + kHashBegin.size(), kHashSize);
  if (store::Sha256Of(hashed) != hash)
    return Error(StatusCode::kBadData, "its hash is not that of what it says");
  return json::FromJson<api::AuditEntry>(line);
}

}  // namespace rankscope::audit
