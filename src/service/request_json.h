// The JSON object in a request's body.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/check_text.h"
#include "json/reader.h"

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
  Result<std::vector<std::string>> List(std::string_view name, std::size_t most = 100) const;
  // As it stands, for what is only kept.
  Result<std::string> Raw(std::string_view name) const;

 private:
  explicit RequestJson(json::Reader reader) : reader_(std::move(reader)) {}
  json::Value Of(std::string_view name) const { return reader_.root()[name]; }

  json::Reader reader_;
};

using json::CheckText;

}  // namespace rankscope::service
