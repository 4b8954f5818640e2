// JsonScrubber: scrubs the texts in a trace's JSON, and leaves everything else unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/scrub/name_scrubber.h"

namespace rankscope::tools {

// The role of a JSON value; it decides which of its texts may stay.
enum class JsonRole : std::uint8_t {
  kEvent,  // an element of traceEvents
  kArgs,   // its arguments
  kOuter,  // the object of the outer keys
  kCategory,
  kId,       // an id or a phase: numbers and single letters stay
  kGeneric,  // texts of any kind, including nested ones
  kCode,
  kPython,
  kHost,
  kKept,  // rankscope's own: stays unchanged
};

// One per thread.
class JsonScrubber {
 public:
  JsonScrubber(const SipKey& key, ReplacementLog* log) : names_(key, log) {}

  // Appends the scrubbed value. `name_kind` is the kind of an event's "name". False, with nothing
  // appended, if the text is not JSON: what cannot be parsed is not passed on.
  bool Append(std::string_view json, JsonRole role, NameKind name_kind, std::string& out);
  // Appends a key and its value, members of an object with this role.
  void AppendMember(std::string_view key, std::string_view value, JsonRole role,
                    std::string& key_out, std::string& value_out);

  NameScrubber& names() { return names_; }

 private:
  struct Level {
    bool is_object = false;
    bool expects_key = false;
    JsonRole role = JsonRole::kGeneric;    // of the container
    JsonRole member = JsonRole::kGeneric;  // of the next value
  };
  void Text(std::string_view raw, JsonRole role, std::string& out);
  void Key(std::string_view raw, JsonRole role, std::string& out);
  JsonRole MemberRole(JsonRole container, std::string_view key, NameKind name_kind) const;

  NameScrubber names_;
  std::vector<Level> levels_;
  std::string plain_;
};

}  // namespace rankscope::tools
