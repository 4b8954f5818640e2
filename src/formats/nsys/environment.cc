#include "formats/nsys/environment.h"

#include <charconv>
#include <map>

namespace rankscope::nsys {
namespace {

struct Launcher {
  std::string_view rank, world_size;
};
constexpr Launcher kLaunchers[] = {{"RANK", "WORLD_SIZE"},
                                   {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"PMI_RANK", "PMI_SIZE"},
                                   {"SLURM_PROCID", "SLURM_NTASKS"}};

std::int64_t Number(std::string_view text) {
  constexpr std::int64_t kMostRanks = 100'000'000;
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && value >= 0 && value <= kMostRanks ? value : -1;
}

}  // namespace

Environment ReadEnvironment(std::string_view variables) {
  std::map<std::string_view, std::string_view> values;
  while (!variables.empty()) {
    const std::size_t end = std::min(variables.find('\0'), variables.size());
    const std::string_view one = variables.substr(0, end);
    variables.remove_prefix(std::min(end + 1, variables.size()));
    if (const std::size_t equals = one.find('='); equals != std::string_view::npos)
      values[one.substr(0, equals)] = one.substr(equals + 1);
  }
  Environment environment;
  environment.host = values["HOSTNAME"];
  for (const Launcher& launcher : kLaunchers) {
    const std::int64_t rank = Number(values[launcher.rank]);
    const std::int64_t world_size = Number(values[launcher.world_size]);
    if (rank < 0 || rank >= world_size) continue;
    environment.rank = rank;
    environment.world_size = world_size;
    break;
  }
  return environment;
}

}  // namespace rankscope::nsys
