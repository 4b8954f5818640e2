#include <string_view>

#include "fix/kinds/keyword_wishes.h"
#include "fix/kinds/kinds.h"
#include "fix/program/models.h"
#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

Site SiteOf(std::size_t index, const Node& call) {
  return {.file = index, .at = call, .group = {}, .shown = {call}, .is_in_training = true};
}

void LookForUnused(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const Node& call : DdpCalls(look.project().file(index)))
      ProposeWishes(look, SiteOf(index, call), call,
                    Keyword(call, "find_unused_parameters").Is("true")
                        ? std::vector<Wish>{{"find_unused_parameters", "", {"True"}},
                                            {"static_graph", "True", {"False"}, true}}
                        : std::vector<Wish>{});
}

void LookForBuckets(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const Node& call : DdpCalls(look.project().file(index)))
      ProposeWishes(look, SiteOf(index, call), call, {SmallBucketWish(call, "bucket_cap_mb")});
}

}  // namespace

const Kind& StaticGraph() {
  static const Kind kKind = {
      .name = "static-graph",
      .findings = {"unused-parameters"},
      .looks_for = "`DistributedDataParallel(..., find_unused_parameters=True)`",
      .writes =
          "`static_graph=True` in its place, for models that use the same parameters in every "
          "step",
      .undo = "write find_unused_parameters=True again",
      .stacks = Stacks::kSilent,
      .look = LookForUnused};
  return kKind;
}

const Kind& BucketSize() {
  static const Kind kKind = {
      .name = "bucket-size",
      .findings = {"small-collectives", "exposed-communication"},
      .looks_for = "`DistributedDataParallel(..., bucket_cap_mb=N)` with N below the default of 25",
      .writes = "nothing: the default of 25 MB holds",
      .undo = "write bucket_cap_mb again",
      .stacks = Stacks::kSilent,
      .look = LookForBuckets};
  return kKind;
}

}  // namespace rankscope::fix
