#include "api/assistant.h"

#include "json/fields.h"

namespace rankscope::json {

using api::AssistantMessage;

template <>
const Fields<AssistantMessage>& FieldsOf() {
  using T = AssistantMessage;
  static const Fields<T> fields =
      Fields<T>("AssistantMessage", "a message of JSON-RPC 2.0", Use::kReport)
          .Add<&T::jsonrpc>({.name = "jsonrpc", .doc = "2.0"})
          .Add<&T::id>({.name = "id",
                        .doc = "a text or a number; without, no answer is wanted",
                        .is_left_out = true})
          .Add<&T::method>({.name = "method",
                            .doc = "function that is called, such as tools/call; absent in answers",
                            .is_left_out = true})
          .Add<&T::params>({.name = "params", .doc = "an object", .is_left_out = true});
  return fields;
}

}  // namespace rankscope::json
