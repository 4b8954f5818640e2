#include "tools/scrub/json_scrubber.h"

#include <algorithm>
#include <iterator>

#include "formats/kineto/tokens/text.h"
#include "formats/kineto/tokens/writer_text.h"
#include "tools/scrub/words.h"

namespace rankscope::tools {
namespace {

constexpr std::string_view kCodeArgs[] = {"Input type",
                                          "Input Dims",
                                          "Input dims",
                                          "Input Strides",
                                          "Concrete Inputs",
                                          "Output type",
                                          "Collective name",
                                          "dtype",
                                          "kernel",
                                          "kernel_name",
                                          "cuda_sync_kind",
                                          "grid",
                                          "kernel_backend",
                                          "cmd_name",
                                          "direction",
                                          "mem size",
                                          "kind"};
constexpr std::string_view kPythonArgs[] = {"Call stack", "Module Hierarchy", "stack"};
constexpr std::string_view kIds[] = {"ph", "id", "bp", "s", "ts", "dur", "tts", "tdur", "bind_id"};
constexpr std::string_view kOurs = "rankscope.";

template <std::size_t N>
bool IsOneOf(std::string_view key, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

// Characters between values, and those that end a number or a literal.
constexpr std::string_view kBetween = " \t\r\n{}[],:";
constexpr std::string_view kBehindBare = " \t\r\n{}[],:\"";

// What may stand without quotes; some profilers write NaN and Infinity.
bool IsBareValue(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
  return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos ||
         IsOneOf(text, kWords);
}

// Letters of phases and the like, and numbers; an id that is a text may say anything.
bool IsHarmlessId(std::string_view text) {
  if (text.size() <= 1) return true;
  if (text.starts_with("0x")) text.remove_prefix(2);
  return text.find_first_not_of("0123456789abcdefABCDEF.-+") == std::string_view::npos;
}

JsonRole RoleOfName(NameKind kind) {
  switch (kind) {
    case NameKind::kCode:
      return JsonRole::kCode;
    case NameKind::kPython:
      return JsonRole::kPython;
    case NameKind::kHost:
      return JsonRole::kHost;
    case NameKind::kGeneric:
      break;
  }
  return JsonRole::kGeneric;
}

}  // namespace

JsonRole JsonScrubber::MemberRole(JsonRole container, std::string_view key,
                                  NameKind name_kind) const {
  switch (container) {
    case JsonRole::kEvent:
      if (key == "args") return JsonRole::kArgs;
      if (key == "cat") return JsonRole::kCategory;
      if (key == "name") return RoleOfName(name_kind);
      return IsOneOf(key, kIds) ? JsonRole::kId : JsonRole::kGeneric;
    case JsonRole::kArgs:
      if (IsOneOf(key, kCodeArgs)) return JsonRole::kCode;
      return IsOneOf(key, kPythonArgs) ? JsonRole::kPython : JsonRole::kGeneric;
    case JsonRole::kOuter:
      if (key.starts_with(kOurs)) return JsonRole::kKept;
      if (key == "host_name") return JsonRole::kHost;
      return key == "deviceProperties" ? JsonRole::kCode : JsonRole::kGeneric;
    default:
      return container;
  }
}

void JsonScrubber::Key(std::string_view raw, JsonRole role, std::string& out) {
  const bool stays = role == JsonRole::kKept || IsKnownKey(raw) ||
                     (role == JsonRole::kOuter && raw.starts_with(kOurs));
  if (stays) {
    out += '"';
    out += raw;
    out += '"';
    return;
  }
  Text(raw, JsonRole::kGeneric, out);
}

void JsonScrubber::Text(std::string_view raw, JsonRole role, std::string& out) {
  std::string_view plain = raw;
  if (raw.find('\\') != std::string_view::npos) {
    kineto::Unescape(raw, plain_);
    plain = plain_;
  }
  bool stays = false;
  NameKind kind = NameKind::kGeneric;
  switch (role) {
    case JsonRole::kKept:
      stays = true;
      break;
    case JsonRole::kCategory:
      stays = IsKnownCategory(plain);
      break;
    case JsonRole::kId:
      stays = IsHarmlessId(plain);
      break;
    case JsonRole::kCode:
      kind = NameKind::kCode;
      break;
    case JsonRole::kPython:
      kind = NameKind::kPython;
      break;
    case JsonRole::kHost:
      kind = NameKind::kHost;
      break;
    default:
      break;
  }
  out += '"';
  const std::string* const scrubbed = stays ? nullptr : &names_.Scrub(plain, kind);
  if (scrubbed == nullptr || *scrubbed == plain) {
    out += raw;
  } else {
    out += kineto::Escaped(*scrubbed);
  }
  out += '"';
}

bool JsonScrubber::Append(std::string_view json, JsonRole role, NameKind name_kind,
                          std::string& out) {
  levels_.clear();
  const std::size_t before = out.size();
  const auto refuse = [&] {
    out.resize(before);
    return false;
  };
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    Level* const level = levels_.empty() ? nullptr : &levels_.back();
    if (c == '"') {
      std::size_t end = at + 1;
      while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
      if (end >= json.size()) return refuse();
      const std::string_view raw = json.substr(at + 1, end - at - 1);
      if (level != nullptr && level->is_object && level->expects_key) {
        level->member = MemberRole(level->role, raw, name_kind);
        level->expects_key = false;
        Key(raw, level->role, out);
      } else {
        Text(raw, level != nullptr ? level->member : role, out);
      }
      at = end + 1;
      continue;
    }
    if (kBetween.find(c) == std::string_view::npos) {
      const std::size_t end = std::min(json.find_first_of(kBehindBare, at), json.size());
      const std::string_view bare = json.substr(at, end - at);
      if (!IsBareValue(bare)) return refuse();
      out += bare;
      at = end;
      continue;
    }
    if (c == '{' || c == '[') {
      const JsonRole inner = level != nullptr ? level->member : role;
      levels_.push_back({c == '{', c == '{', inner, inner});
    } else if ((c == '}' || c == ']') && level != nullptr) {
      levels_.pop_back();
    } else if (c == ',' && level != nullptr) {
      level->expects_key = level->is_object;
    }
    out += c;
    ++at;
  }
  return levels_.empty() || refuse();
}

void JsonScrubber::AppendMember(std::string_view key, std::string_view value, JsonRole role,
                                std::string& key_out, std::string& value_out) {
  std::string quoted;
  Key(key, role, quoted);
  key_out = quoted.substr(1, quoted.size() - 2);
  if (!Append(value, MemberRole(role, key, NameKind::kGeneric), NameKind::kGeneric, value_out))
    value_out += "null";
}

}  // namespace rankscope::tools
