// Lines of the file: one JSON object each, of numbers and texts. What is not known is left out.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "rankscope/requests/record.h"

namespace rankscope::requests {

class JsonLine {
 public:
  explicit JsonLine(std::string& to) : to_(to) { to_ += '{'; }

  void Add(std::string_view name, std::int64_t value) {
    Name(name);
    to_ += std::to_string(value);
  }
  // A moment or a count of which 0 means that it is not known.
  void AddKnown(std::string_view name, std::int64_t value) {
    if (value != 0) Add(name, value);
  }
  void Add(std::string_view name, std::string_view text) {
    Name(name);
    AddText(text);
  }
  void End() { to_ += "}\n"; }

 private:
  void Name(std::string_view name) {
    if (!is_first_) to_ += ',';
    is_first_ = false;
    to_ += '"';
    to_ += name;
    to_ += "\":";
  }

  // Texts are UTF-8; a byte that is none (of another encoding, or of a character that was cut)
  // becomes a question mark.
  void AddText(std::string_view text) {
    to_ += '"';
    for (std::size_t at = 0; at < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte == '"' || byte == '\\') {
        to_ += '\\';
        to_ += text[at++];
      } else if (byte < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(byte));
        to_ += escape;
        ++at;
      } else if (byte < 0x80) {
        to_ += text[at++];
      } else {
        const std::size_t size = SizeOfCharacter(text.substr(at));
        if (size == 0) {
          to_ += '?';
          ++at;
        } else {
          to_ += text.substr(at, size);
          at += size;
        }
      }
    }
    to_ += '"';
  }

  // Bytes of the character of two or more that `text` begins with; 0 where it is not whole, longer
  // than it has to be, a half of a surrogate pair, or beyond Unicode's end.
  static std::size_t SizeOfCharacter(std::string_view text) {
    const auto at = [&](std::size_t i) {
      return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const unsigned first = at(0), second = at(1);
    const auto follows = [&](std::size_t i) { return (at(i) & 0xC0u) == 0x80u; };
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
      if (!follows(1) || !follows(2)) return 0;
      if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
      return 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
      if (!follows(1) || !follows(2) || !follows(3)) return 0;
      if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
      return 4;
    }
    return 0;
  }

  std::string& to_;
  bool is_first_ = true;
};

inline std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCancelled:
      return "cancelled";
  }
  return "";
}

inline void AddRequest(const Record& record, std::string& to) {
  JsonLine line(to);
  if (record.id.view().empty()) {
    line.Add("id", std::to_string(record.number));
  } else {
    line.Add("id", record.id.view());
  }
  line.Add("method", record.method.view());
  line.AddKnown("arrival", record.arrival_ns);
  if (record.arrival_ns == 0) line.AddKnown("seen", record.seen_ns);
  line.AddKnown("dequeue", record.dequeue_ns);
  line.AddKnown("begin", record.begin_ns);
  line.AddKnown("end", record.end_ns);
  line.AddKnown("sent", record.sent_ns);
  if (record.has_lock) {
    line.Add("lock_wait", record.lock_ns);
    line.Add("lock_held", record.held_ns);
    if (!record.lock.view().empty()) line.Add("lock", record.lock.view());
  }
  if (record.batch_size > 0) {
    line.Add("batch", static_cast<std::int64_t>(record.batch));
    line.Add("batch_size", std::int64_t{record.batch_size});
  }
  line.Add("status", ToString(record.outcome));
  line.AddKnown("code", std::int64_t{record.code});
  line.AddKnown("thread", std::int64_t{record.thread});
  line.AddKnown("connection", static_cast<std::int64_t>(record.connection));
  line.End();
}

}  // namespace rankscope::requests
