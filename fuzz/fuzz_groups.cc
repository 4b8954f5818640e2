// What traces say of process groups: lists of ranks, sizes of splits, descriptions, and the names
// of files and hosts. Any text is some ranks, or none.
#include <algorithm>
#include <string>
#include <vector>

#include "input.h"
#include "job/job_layout.h"
#include "job/named_layout.h"
#include "job/parallel_dimension.h"
#include "job/rank_list.h"
#include "job/split_sizes.h"
#include "source.h"

namespace rankscope::fuzz {
namespace {

void CheckRanks(const std::vector<std::int64_t>& ranks) {
  FUZZ_CHECK(static_cast<std::int64_t>(ranks.size()) <= kMostGroupRanks);
  FUZZ_CHECK(std::ranges::all_of(ranks, [](std::int64_t rank) { return rank >= 0; }));
  FUZZ_CHECK(UnpackRanks(PackRanks(ranks)) == ranks);
}

void Lists(std::string_view text, Source& numbers) {
  const std::int64_t size = numbers.Number();
  CheckRanks(RanksOfText(text, size));
  const std::vector<std::int64_t> ranks = UnpackRanks(text);
  CheckRanks(ranks);

  const std::int64_t elements = numbers.Number();
  const std::vector<std::int64_t> splits = SplitsOf(text, elements, size);
  FUZZ_CHECK(splits.empty() || static_cast<std::int64_t>(splits.size()) == size);
  if (text.empty() && !splits.empty()) FUZZ_CHECK(splits.front() * size == elements);
}

void Names(std::string_view text, Source& numbers) {
  const GroupLabel label = LabelOf(text);
  if (label.is_shard || label.is_replicate) FUZZ_CHECK(label.dimensions.Has(Dimension::kData));
  for (const NumberInName& found : NumbersInName(text))
    FUZZ_CHECK(0 <= found.number && found.number < kMostGroupRanks);

  // A rank for each line.
  JobLayout layout;
  std::vector<std::vector<std::string>> names;
  while (!text.empty() && names.size() < 64) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    names.push_back({std::string(text.substr(0, end))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  layout.places.resize(names.size());
  RoleLayout& role = layout.roles.emplace_back();
  role.seen = static_cast<std::int64_t>(names.size());
  role.ranks = std::max<std::int64_t>(role.seen, numbers.Below(1 << 10));
  const JobLayout guessed = WithGuesses(std::move(layout), names, numbers.Number());
  for (const DimensionFit& fit : guessed.roles.front().dimensions)
    FUZZ_CHECK(1 <= fit.degree && fit.degree <= kMostGroupRanks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  // The numbers stand in front of the text.
  constexpr std::size_t kNumberBytes = 6;
  Source numbers(input.data.substr(0, kNumberBytes));
  const std::string_view text = input.data.substr(std::min(kNumberBytes, input.data.size()));
  if (input.first % 2 == 0) {
    Lists(text, numbers);
  } else {
    Names(text, numbers);
  }
  return 0;
}

}  // namespace rankscope::fuzz
