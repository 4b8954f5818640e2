#include "snoop/place.h"

#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <initializer_list>

#include "cpu_profile/image/proc_text.h"

namespace rankscope::snoop {
namespace {

// The value of the first of these names that has one.
std::string_view FirstOf(std::string_view environment, std::initializer_list<std::string_view> of) {
  for (const std::string_view name : of) {
    for (std::string_view rest = environment; !rest.empty();) {
      const std::string_view one = rest.substr(0, rest.find('\0'));
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
      if (one.size() > name.size() + 1 && one.starts_with(name) && one[name.size()] == '=')
        return one.substr(name.size() + 1);
    }
  }
  return {};
}

std::optional<std::int64_t> NumberOf(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

PlaceInJob PlaceIn(std::string_view environment) {
  PlaceInJob place;
  place.rank =
      NumberOf(FirstOf(environment, {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}));
  place.world_size = NumberOf(
      FirstOf(environment, {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}));
  place.job = FirstOf(environment, {"SLURM_JOB_ID", "TORCHELASTIC_RUN_ID"}).substr(0, 200);
  return place;
}

PlaceInJob PlaceOf(pid_t pid) {
  constexpr std::size_t kMostEnvironment = 1 << 20;
  PlaceInJob place =
      PlaceIn(cpu_profile::ReadProcText(fmt::format("/proc/{}/environ", pid), kMostEnvironment));
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) == 0) place.host = name;
  return place;
}

}  // namespace rankscope::snoop
