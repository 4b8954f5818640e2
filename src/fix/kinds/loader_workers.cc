#include <fmt/core.h>

#include <optional>

#include "fix/kinds/keyword_wishes.h"
#include "fix/kinds/kinds.h"
#include "fix/program/loaders.h"
#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

// DataLoader(dataset, batch_size, shuffle, sampler, batch_sampler, num_workers, ...)
constexpr std::size_t kPlaceOfWorkers = 5;

// Whether it has none so far, or how many; nothing where that is computed.
std::optional<std::int64_t> WorkersOf(const Node& call) {
  if (PlainArguments(call).size() > kPlaceOfWorkers) return std::nullopt;
  const Node workers = Keyword(call, "num_workers");
  return workers ? IntegerOf(workers) : 0;
}

void LookAtWorkers(Look& look, std::size_t index, const Loader& loader) {
  const SourceFile& file = look.project().file(index);
  Site site = SiteOf(index, loader);
  if (HasOwnArguments(loader.call) && !WorkersOf(loader.call)) {
    look.Leave(std::move(site), "num_workers is computed: see that it is 4 or more");
    return;
  }
  if (const std::string why = WhyNotInWorkers(look.project(), file, loader); !why.empty()) {
    look.Leave(std::move(site), "workers are not added: " + why);
    return;
  }
  ProposeWishes(look, std::move(site), loader.call,
                {{"num_workers", "4", {"0", "1"}, true},
                 {"prefetch_factor", "4", {"None", "1", "2"}, true},
                 {"persistent_workers", "True", {"False"}, true}});
}

void LookForLoaderWorkers(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const Loader& loader : LoadersOf(look.project().file(index)))
      LookAtWorkers(look, index, loader);
}

}  // namespace

const Kind& LoaderWorkers() {
  static const Kind kKind = {
      .name = "loader-workers",
      .findings = {"data-starvation", "data-straggler"},
      .looks_for =
          "a DataLoader whose batches are made in the training process or by one worker, "
          "of a dataset that has items by index and leaves devices alone",
      .writes = "`num_workers=4`, `prefetch_factor=4`, `persistent_workers=True`",
      .undo = "remove these arguments",
      .stacks = Stacks::kNarrowIt,
      .look = LookForLoaderWorkers};
  return kKind;
}

}  // namespace rankscope::fix
