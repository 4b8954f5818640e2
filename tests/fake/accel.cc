// A driver that is none, for specifications of devices: what it says comes from the file
// $FAKE_ACCEL (said.h), and it behaves as badly as that file wants: stats_ms (a call takes so
// long), hang, crash, overrun (it writes beyond a struct), init (its status), init_ms (how long it
// takes), count_hang; "only N": on device N alone. Each call appends its name to the file
// $FAKE_ACCEL_LOG.
#include "accel.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "said.h"

namespace {

double Number(const std::string& key, double without) {
  const auto said = fake::Said("FAKE_ACCEL");
  const auto found = said.find(key);
  return found == said.end() ? without : std::stod(found->second);
}

void Log(const char* name) {
  if (const char* const path = std::getenv("FAKE_ACCEL_LOG"))
    std::ofstream(path, std::ios::app) << name << ' ' << getpid() << '\n';
}

char devices[4];

}  // namespace

extern "C" {

int accel_init() {
  Log("init");
  usleep(static_cast<useconds_t>(1000 * Number("init_ms", 0)));
  return static_cast<int>(Number("init", ACCEL_OK));
}
int accel_fini() {
  Log("fini");
  return ACCEL_OK;
}
int accel_count(uint32_t* count) {
  if (Number("count_hang", 0) != 0) pause();
  *count = static_cast<uint32_t>(Number("count", 2));
  return ACCEL_OK;
}
int accel_open(uint32_t index, void** device) {
  Log("open");
  *device = &devices[index % sizeof devices];
  return ACCEL_OK;
}
int accel_stats(void* device, accel_stats_t* stats) {
  Log("stats");
  if (device < devices || device >= devices + sizeof devices) std::abort();
  if (stats->version != (sizeof(accel_stats_t) | ACCEL_STATS_VERSION << 24))
    return ACCEL_VERSION_MISMATCH;
  const bool is_bad = Number("only", static_cast<double>(static_cast<char*>(device) - devices)) ==
                      static_cast<double>(static_cast<char*>(device) - devices);
  if (is_bad) usleep(static_cast<useconds_t>(1000 * Number("stats_ms", 0)));
  if (is_bad && Number("hang", 0) != 0) pause();
  if (is_bad && Number("crash", 0) != 0) std::raise(SIGSEGV);
  stats->state = static_cast<accel_state_t>(Number("state", ACCEL_RUN));
  for (unsigned i = 0; i < 8; ++i)
    stats->core_active_ns[i] = static_cast<uint64_t>(Number("core", 0)) * (i + 1);
  stats->memory_used = 1 << 30;
  stats->memory_total = 64ULL << 30;
  stats->read_bytes = 100;
  stats->written_bytes = 200;
  stats->power_mw = static_cast<uint32_t>(Number("power_mw", 250000));
  stats->clock_mhz = 1500;
  for (unsigned i = 0; i < 16; ++i) stats->queue[i] = i;
  for (unsigned i = 0; i < 8; ++i)
    stats->errors[i] = static_cast<uint32_t>(Number("errors", 0)) + i;
  stats->voltage = 0.75F;
  stats->fan_rpm = 0xffff;
  if (is_bad && Number("overrun", 0) != 0) std::memset(stats + 1, 0, 8);
  return ACCEL_OK;
}
int accel_name(void*, char* name, uint32_t size) {
  std::strncpy(name, "Fake Accel 100", size);
  return ACCEL_OK;
}
int accel_temperature(void*, double* celsius) {
  if (Number("temperature", 0) == 0) return ACCEL_NOT_SUPPORTED;
  *celsius = Number("temperature", 0);
  return ACCEL_OK;
}
uint64_t accel_serial(void* device) {
  return 0x1234567800000000ULL + static_cast<uint64_t>(static_cast<char*>(device) - devices);
}

}  // extern "C"
