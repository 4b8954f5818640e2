#include "api/state.h"

#include "json/fields.h"

namespace rankscope::json {

using api::Health;
using api::Version;

template <>
const Fields<Health>& FieldsOf() {
  using T = Health;
  static const Fields<T> fields = Fields<T>("Health", "that it works", Use::kReport)
                                      .Add<&T::status>({.name = "status", .doc = "always ok"});
  return fields;
}

template <>
const Fields<Version>& FieldsOf() {
  using T = Version;
  static const Fields<T> fields =
      Fields<T>("Version", "which rankscope this is", Use::kReport)
          .Add<&T::version>({.name = "version", .doc = "such as 1.2.3"});
  return fields;
}

}  // namespace rankscope::json
