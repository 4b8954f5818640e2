#include "api/patch.h"

#include "json/fields.h"

namespace rankscope::json {

using api::Patch;
using api::PatchChange;
using api::PatchLeft;

namespace {

constexpr std::size_t kMostDiff = std::size_t{64} << 20;
constexpr std::size_t kMostChanges = 100'000;

const Field kPatchLine = {.name = "line", .doc = "from 1; null: of the whole file", .least = 1};

}  // namespace

template <>
const Fields<PatchChange>& FieldsOf() {
  using T = PatchChange;
  static const Fields<T> fields =
      Fields<T>("PatchChange", "a place that a patch changes", Use::kReport)
          .Add<&T::file>({.name = "file", .doc = "path in the source tree"})
          .Add<&T::line>(kPatchLine)
          .Add<&T::finding>({.name = "finding", .doc = "its id", .is_null_when_empty = true})
          .Add<&T::gain>(
              {.name = "gain", .doc = "of the finding, such as 5.0%", .is_null_when_empty = true})
          .Add<&T::kind>({.name = "kind", .doc = "of change, such as print-seldom"})
          .Add<&T::what>({.name = "what", .doc = "a sentence"})
          .Add<&T::undo>({.name = "undo", .doc = "how it is taken back"});
  return fields;
}

template <>
const Fields<PatchLeft>& FieldsOf() {
  using T = PatchLeft;
  static const Fields<T> fields =
      Fields<T>("PatchLeft", "a place that a finding is about and that stays", Use::kReport)
          .Add<&T::file>(
              {.name = "file", .doc = "path in the source tree", .is_null_when_empty = true})
          .Add<&T::line>(kPatchLine)
          .Add<&T::finding>({.name = "finding", .doc = "its id", .is_null_when_empty = true})
          .Add<&T::why>({.name = "why", .doc = "it stays"});
  return fields;
}

template <>
const Fields<Patch>& FieldsOf() {
  using T = Patch;
  static const Fields<T> fields =
      Fields<T>("Patch", "a patch of a run's code for what was found", Use::kReport)
          .Add<&T::schema>({.name = "schema", .doc = "rankscope.fix/1"})
          .Add<&T::diff>({.name = "diff", .doc = "unified", .most_bytes = kMostDiff})
          .Add<&T::changes>({.name = "changes",
                             .doc = "places that the patch changes",
                             .most_items = kMostChanges})
          .Add<&T::left>({.name = "left",
                          .doc = "places that the patch does not change",
                          .most_items = kMostChanges})
          .Add<&T::nothing>(
              {.name = "nothing", .doc = "why there is no patch", .is_null_when_empty = true});
  return fields;
}

}  // namespace rankscope::json
