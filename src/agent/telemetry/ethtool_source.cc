#include "agent/telemetry/ethtool_source.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "agent/telemetry/reading_files.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

constexpr std::uint32_t kMostOfDriver = 100'000;

class Socket {
 public:
  Socket() : number_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (number_ >= 0) close(number_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

Status Ask(const Socket& socket, const std::string& device, void* command) {
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = static_cast<char*>(command);
  if (ioctl(socket.number(), SIOCETHTOOL, &request) == 0) return OkStatus();
  const StatusCode code =
      errno == EOPNOTSUPP || errno == ENODEV ? StatusCode::kNotFound : StatusCode::kIo;
  return Error(code, "ethtool: {}: {}", device, std::strerror(errno));
}

}  // namespace

Result<EthtoolStatistics> ReadEthtool(const std::string& device) {
  const Socket socket;
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  RS_RETURN_IF_ERROR(Ask(socket, device, &info));
  const std::uint32_t count = std::min(info.n_stats, kMostOfDriver);
  if (count == 0)
    return Error(StatusCode::kNotFound, "ethtool: {}: its driver counts nothing", device);
  // A driver may have more by the second call than it said in the first: it is told how many fit,
  // but not all listen, so there is room for some more.
  constexpr std::uint32_t kSpare = 1024;
  std::vector<char> names(sizeof(ethtool_gstrings) + std::size_t{count + kSpare} * ETH_GSTRING_LEN);
  auto* const strings = reinterpret_cast<ethtool_gstrings*>(names.data());
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_STATS;
  strings->len = count;
  RS_RETURN_IF_ERROR(Ask(socket, device, strings));
  std::vector<std::uint64_t> numbers((sizeof(ethtool_stats) + 7) / 8 + count + kSpare);
  auto* const values = reinterpret_cast<ethtool_stats*>(numbers.data());
  values->cmd = ETHTOOL_GSTATS;
  values->n_stats = count;
  RS_RETURN_IF_ERROR(Ask(socket, device, values));
  if (strings->len != values->n_stats || values->n_stats > count + kSpare)
    return Error(StatusCode::kIo, "ethtool: {}: its statistics changed meanwhile", device);
  EthtoolStatistics statistics;
  for (std::uint32_t i = 0; i < values->n_stats; ++i) {
    const char* const name =
        names.data() + sizeof(ethtool_gstrings) + std::size_t{i} * ETH_GSTRING_LEN;
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(values) + sizeof(ethtool_stats) + 8 * i, 8);
    statistics.emplace_back(std::string(name, strnlen(name, ETH_GSTRING_LEN)), value);
  }
  return statistics;
}

bool IsWorthTelling(std::string_view statistic) {
  constexpr std::array<std::string_view, 11> kWords = {"pause",         "discard", "drop",   "err",
                                                       "out_of_buffer", "missed",  "ecn",    "cnp",
                                                       "congest",       "crc",     "timeout"};
  // "rx7_...", "queue_3_tx_...": of one queue.
  const bool is_of_queue = statistic.find("queue") != std::string_view::npos ||
                           ((statistic.starts_with("rx") || statistic.starts_with("tx")) &&
                            statistic.size() > 2 && statistic[2] >= '0' && statistic[2] <= '9');
  return !is_of_queue && std::ranges::any_of(kWords, [&](std::string_view word) {
    return statistic.find(word) != std::string_view::npos;
  });
}

Source EthtoolSource(EthtoolRead read) {
  return {"ethtool", std::chrono::milliseconds(10'000),
          [read = std::move(read)](const std::string& root, Readings& readings) {
            const std::string folder = root + "/sys/class/net";
            Status last = Error(StatusCode::kNotFound, "{}: no device that is hardware", folder);
            bool any = false;
            for (const std::string& device : NamesIn(folder)) {
              if (NamesIn(folder + "/" + device + "/device").empty()) continue;
              const Result<EthtoolStatistics> statistics = read(device);
              if (!statistics.ok()) {
                last = statistics.status();
                continue;
              }
              any = true;
              std::size_t told = 0;
              for (const auto& [name, value] : *statistics) {
                if (!IsWorthTelling(name) || ++told > kMostStatistics) continue;
                readings.Add(quantity::kNetworkStatistic, {{"device", device}, {"statistic", name}},
                             static_cast<double>(value));
              }
            }
            return any ? OkStatus() : last;
          }};
}

}  // namespace rankscope::agent
