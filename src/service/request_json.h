// The JSON object in a request's body.
#pragma once

#include <simdjson.h>

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::service {

// Every member has to be asked for: what nobody knows is an error, not silence. Errors are
// kInvalidArgument.
class RequestJson {
 public:
  // An empty body is an object without members.
  static Result<RequestJson> Parse(std::string_view body,
                                   std::initializer_list<std::string_view> known);

  bool Has(std::string_view name) const;
  // "" without it. At most `most` bytes, no control characters but line breaks and tabs.
  Result<std::string> Text(std::string_view name, std::size_t most = 1000) const;
  Result<std::optional<std::int64_t>> Integer(std::string_view name) const;
  // {"name": "text"}.
  Result<std::map<std::string, std::string>> Texts(std::string_view name) const;
  Result<std::vector<std::string>> List(std::string_view name, std::size_t most = 100) const;
  // As it stands, for what is only kept.
  Result<std::string> Raw(std::string_view name) const;

 private:
  RequestJson() : parser_(std::make_unique<simdjson::dom::parser>()) {}
  std::unique_ptr<simdjson::dom::parser> parser_;  // owns what object_ sees
  simdjson::dom::object object_;
};

// A text that is kept and shown: UTF-8 of at most `most` bytes without control characters.
Status CheckText(std::string_view what, std::string_view text, std::size_t most);

}  // namespace rankscope::service
