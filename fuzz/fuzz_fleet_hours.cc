// What schedulers print: any bytes are claims as far as they are sound, or are a sentence with the
// file's name; and whatever was read is divided without remainder.
#include <numeric>
#include <string>
#include <utility>

#include "fleet/hours/hours_tables.h"
#include "fleet/hours/owners.h"
#include "fleet/hours/partition.h"
#include "fleet/hours/read_claims.h"
#include "fleet/hours/read_use.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kNow = 20'000 * kDay;

Status ReadAs(std::uint8_t kind, std::string_view text, std::vector<fleet::Claim>& claims,
              std::vector<fleet::Capacity>& capacity, std::vector<fleet::Absence>& absences,
              std::vector<fleet::UseSeries>& use) {
  const fleet::ReadOptions options{.offset_s = 3600, .now_ms = kNow};
  switch (kind % 6) {
    case 1: {
      fleet::PodClaims found;
      const Status read = fleet::ReadPods("fuzzed", text, options, found);
      claims = std::move(found.claims);
      return read;
    }
    case 2:
      return fleet::ReadDevices("fuzzed", text, options, capacity);
    case 3:
      return fleet::ReadAbsences("fuzzed", text, options, absences);
    case 4: {
      // Compiling a pattern costs what the pattern says; those of a fuzzer are no operator's.
      if (text.size() > 200) return OkStatus();
      const auto rules = fleet::OwnerRules::Read("fuzzed", text);
      return rules.status();
    }
    case 5:
      return fleet::ReadUse("fuzzed", text, fleet::UseUnit::kByName, use);
    default:
      return fleet::ReadSacct("fuzzed", text, options, claims);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  std::vector<fleet::Claim> claims;
  std::vector<fleet::Capacity> capacity = {{"n1", 4, kNow - 30 * kDay, kNow}};
  std::vector<fleet::Absence> absences;
  std::vector<fleet::UseSeries> use;
  const Status read = ReadAs(input.first, input.data, claims, capacity, absences, use);
  if (!read.ok()) {
    FUZZ_CHECK(read.code() == StatusCode::kBadData);
    FUZZ_CHECK(read.message().starts_with("fuzzed: "));
  }
  for (const fleet::Claim& claim : claims) {
    FUZZ_CHECK(claim.units > 0);
    FUZZ_CHECK(claim.until_ms > claim.from_ms);
  }
  const fleet::Partition partition =
      fleet::DivideHours(capacity, claims, absences, use,
                         {.from_ms = kNow - 20 * kDay,
                          .until_ms = kNow - kDay / 3,
                          .every = static_cast<fleet::Every>(input.second % 4),
                          .by = "user"});
  for (const fleet::HoursOfPeriod& period : partition.periods) {
    std::int64_t sum = period.reserved_ms + period.down_ms + period.unallocated_ms;
    for (const auto& [value, of] : period.values) {
      FUZZ_CHECK(of.allocated_ms >= 0 && of.shared_ms <= of.allocated_ms);
      FUZZ_CHECK(of.busy_ms >= 0 && of.busy_ms <= of.use_known_ms);
      FUZZ_CHECK(of.use_known_ms <= of.allocated_ms && of.mixed_ms <= of.use_known_ms);
      sum += of.allocated_ms;
    }
    FUZZ_CHECK(sum == period.capacity_ms);
  }
  FUZZ_CHECK(fleet::CapacityTable(partition).row_count() == partition.periods.size());
  (void)fleet::HoursTable(partition);
  return 0;
}

}  // namespace rankscope::fuzz
