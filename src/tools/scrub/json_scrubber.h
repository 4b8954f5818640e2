// JsonScrubber: the JSON of a trace with its texts scrubbed and everything else as it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/scrub/name_scrubber.h"

namespace rankscope::tools {

// What a JSON value is; decides which of its texts may stay.
enum class JsonRole : std::uint8_t {
  kEvent,  // an element of traceEvents
  kArgs,   // its arguments
  kOuter,  // the object of the outer keys
  kCategory,
  kId,       // an id or a phase: numbers and single letters stay
  kGeneric,  // texts of any kind, also of what lies in it
  kCode,
  kPython,
  kHost,
  kKept,  // ours: stays as it is
};

// One per thread.
class JsonScrubber {
 public:
  JsonScrubber(const SipKey& key, ReplacementLog* log) : names_(key, log) {}

  // Appends the scrubbed value. `name_kind`: of the text under the key "name" of an event. False,
  // and nothing is appended, where the text is not JSON: what is not understood is not passed on.
  bool Append(std::string_view json, JsonRole role, NameKind name_kind, std::string& out);
  // A key with its value, as they stand in an object of this role.
  void AppendMember(std::string_view key, std::string_view value, JsonRole role,
                    std::string& key_out, std::string& value_out);

  NameScrubber& names() { return names_; }

 private:
  struct Level {
    bool is_object = false;
    bool expects_key = false;
    JsonRole role = JsonRole::kGeneric;    // of the container
    JsonRole member = JsonRole::kGeneric;  // of the value that comes
  };
  void Text(std::string_view raw, JsonRole role, std::string& out);
  void Key(std::string_view raw, JsonRole role, std::string& out);
  JsonRole MemberRole(JsonRole container, std::string_view key, NameKind name_kind) const;

  NameScrubber names_;
  std::vector<Level> levels_;
  std::string plain_;
};

}  // namespace rankscope::tools
