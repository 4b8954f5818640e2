#include "formats/kineto/tokens/top_level.h"

#include "base/text.h"

namespace rankscope::kineto {
namespace {

constexpr std::size_t kMaxKeyBytes = 4096;
constexpr std::size_t kMaxValueBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxTotalBytes = std::size_t{64} << 20;

}  // namespace

void TopLevel::BeginValue(char c) {
  state_ = State::kValue;
  value_.assign(1, c);
  in_string_ = c == '"';
  escaped_ = false;
  value_done_ = false;
  too_large_ = false;
  depth_ = c == '{' || c == '[' ? 1 : 0;
}

bool TopLevel::ContinueValue(char c) {
  if (value_done_) return false;
  if (in_string_) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      value_done_ = depth_ == 0;
    }
  } else if (c == '"') {
    in_string_ = true;
  } else if (c == '{' || c == '[') {
    ++depth_;
  } else if (c == '}' || c == ']') {
    if (depth_ == 0) return false;
    value_done_ = --depth_ == 0;
  } else if (depth_ == 0 && (c == ',' || IsJsonSpace(c))) {
    return false;
  }
  if (value_.size() >= kMaxValueBytes || kept_bytes_ >= kMaxTotalBytes) {
    too_large_ = true;
  } else {
    value_.push_back(c);
  }
  return true;
}

void TopLevel::EndValue(std::int64_t offset, QualityLog& problems) {
  if (too_large_) {
    problems.Add(QualityCode::kTooLarge, offset,
                 "a metadata value larger than 16 MiB was left out");
  } else {
    kept_bytes_ += value_.size();
    values_.emplace_back(std::move(key_), std::move(value_));
  }
  key_.clear();
  value_.clear();
  state_ = State::kBetween;
}

std::size_t TopLevel::Read(std::string_view text, std::int64_t offset, QualityLog& problems) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto place = offset + static_cast<std::int64_t>(i);
    if (state_ == State::kValue) {
      if (ContinueValue(c)) continue;
      EndValue(place, problems);
    }
    switch (state_) {
      case State::kBegin: {
        static constexpr std::string_view kBom = "\xEF\xBB\xBF";
        if (bom_bytes_ < 3 && c == kBom[static_cast<std::size_t>(bom_bytes_)]) {
          ++bom_bytes_;
        } else if (c == '{') {
          state_ = State::kBetween;
        } else if (c == '[') {
          is_array_ = saw_events_ = true;
          state_ = State::kEvents;
          return i + 1;
        } else if (!IsJsonSpace(c)) {
          state_ = State::kNotATrace;
        }
        break;
      }
      case State::kBetween:
        if (c == '"') {
          key_.clear();
          escaped_ = false;
          state_ = State::kKey;
        } else if (c == '}') {
          state_ = State::kEnd;
        } else if (c != ',' && !IsJsonSpace(c)) {
          problems.Add(QualityCode::kInvalidJson, place,
                       "text between the outer keys that is not JSON was skipped");
        }
        break;
      case State::kKey:
        if (c == '"' && !escaped_) {
          state_ = State::kAfterKey;
        } else {
          escaped_ = c == '\\' && !escaped_;
          if (key_.size() < kMaxKeyBytes) key_.push_back(c);
        }
        break;
      case State::kAfterKey:
        if (c == ':') {
          state_ = State::kBeforeValue;
        } else if (!IsJsonSpace(c)) {
          problems.Add(QualityCode::kInvalidJson, place,
                       "an outer key without a value was skipped");
          state_ = State::kBetween;
        }
        break;
      case State::kBeforeValue:
        if (IsJsonSpace(c)) break;
        if (c == '[' && key_ == "traceEvents") {
          saw_events_ = true;
          state_ = State::kEvents;
          return i + 1;
        }
        BeginValue(c);
        break;
      case State::kEnd:
        if (!IsJsonSpace(c) && !reported_garbage_) {
          reported_garbage_ = true;
          problems.Add(QualityCode::kTrailingGarbage, place,
                       "bytes after the end of the JSON text were ignored");
        }
        break;
      case State::kNotATrace:
        return text.size();
      case State::kValue:
      case State::kEvents:
        break;
    }
  }
  return text.size();
}

}  // namespace rankscope::kineto
