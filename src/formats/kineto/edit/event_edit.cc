#include "formats/kineto/edit/event_edit.h"

#include <algorithm>

#include "base/text.h"

namespace rankscope::kineto {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kMostDigits = 30;

void AppendWide(Wide value, std::size_t decimals, std::string& out) {
  const bool is_negative = value < 0;
  if (is_negative) value = -value;
  std::string digits;
  for (; value > 0 || digits.size() <= decimals; value /= 10)
    digits.push_back(static_cast<char>('0' + static_cast<int>(value % 10)));
  std::reverse(digits.begin(), digits.end());
  if (is_negative) out += '-';
  out.append(digits, 0, digits.size() - decimals);
  if (decimals == 0) return;
  out += '.';
  out.append(digits, digits.size() - decimals);
}

}  // namespace

void TextEdits::Apply(std::string_view text, std::string& out) {
  std::sort(edits_.begin(), edits_.end(),
            [](const Edit& a, const Edit& b) { return a.part.data() < b.part.data(); });
  const char* at = text.data();
  for (const Edit& edit : edits_) {
    out.append(at, static_cast<std::size_t>(edit.part.data() - at));
    out += edit.with;
    at = edit.part.data() + edit.part.size();
  }
  out.append(at, static_cast<std::size_t>(text.data() + text.size() - at));
  edits_.clear();
}

std::string_view WithQuotes(std::string_view token, std::string_view text) {
  const bool is_quoted = token.data() > text.data() && token.data()[-1] == '"';
  return is_quoted ? std::string_view(token.data() - 1, token.size() + 2) : token;
}

bool AppendShiftedMicros(std::string_view token, std::int64_t shift_ns, std::string& out) {
  std::string_view rest = token;
  const bool is_negative = rest.starts_with('-');
  if (is_negative) rest.remove_prefix(1);
  const std::size_t point = rest.find('.');
  const std::string_view whole = rest.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : rest.substr(point + 1);
  const bool is_number = !whole.empty() && whole.size() + fraction.size() <= kMostDigits &&
                         (point == std::string_view::npos || !fraction.empty()) &&
                         std::all_of(whole.begin(), whole.end(), IsDigit) &&
                         std::all_of(fraction.begin(), fraction.end(), IsDigit);
  if (!is_number) return false;
  std::size_t decimals = fraction.size();
  Wide value = 0;
  for (const char c : whole) value = value * 10 + (c - '0');
  for (const char c : fraction) value = value * 10 + (c - '0');
  const bool is_whole_shift = shift_ns % 1000 == 0;
  for (; !is_whole_shift && decimals < 3; ++decimals) value *= 10;
  Wide shift = is_whole_shift ? shift_ns / 1000 : shift_ns;
  for (std::size_t i = is_whole_shift ? 0 : 3; i < decimals; ++i) shift *= 10;
  AppendWide((is_negative ? -value : value) + shift, decimals, out);
  return true;
}

std::string HeadText(const TopValues& values, bool is_array) {
  if (is_array) return "[\n";
  std::string head = "{\n";
  for (const auto& [key, value] : values) {
    head += "  \"";
    head += key;
    head += "\": ";
    head += value;
    head += ",\n";
  }
  return head + "  \"traceEvents\": [\n";
}

std::string_view TailText(bool is_array) { return is_array ? "\n]\n" : "\n  ]\n}\n"; }

}  // namespace rankscope::kineto
