// A process that trains, as far as its daemon sees it, of libkineto's own client: registers, asks
// for work every 100 ms, and writes the trace that it was told to, as libkineto does: into
// NAME.tmp, then under its own name. interop.py builds it with the sources that the user has.
#include "IpcFabricConfigClient.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

std::string ValueOf(const std::string& config, const std::string& key) {
  const std::size_t at = config.find(key + "=");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 1;
  return config.substr(begin, config.find('\n', begin) - begin);
}

std::string WithPid(std::string path) {
  for (const std::string end : {".pt.trace.json", ".json"}) {
    const std::size_t at = path.find(end);
    if (at != std::string::npos) return path.insert(at, "_" + std::to_string(getpid()));
  }
  return path;
}

}  // namespace

int main() {
  KINETO_NAMESPACE::IpcFabricConfigClient client;
  std::printf("registered %d\n", client.registerInstance(0));
  std::fflush(stdout);
  constexpr int kIdle = 2, kPending = 0;
  for (;;) {
    const std::string config = client.getLibkinetoOndemandConfig(kIdle);
    if (!config.empty()) {
      std::string line = config;
      for (char& c : line) c = c == '\n' ? '|' : c;
      std::printf("config %s\n", line.c_str());
      std::fflush(stdout);
      for (int i = 0; i < 5; ++i) {
        if (!client.getLibkinetoOndemandConfig(kPending).empty()) std::printf("config twice\n");
        usleep(100'000);
      }
      const std::string path = WithPid(ValueOf(config, "ACTIVITIES_LOG_FILE"));
      std::ofstream(path + ".tmp") << R"({"schemaVersion": 1, "traceEvents": []})";
      std::rename((path + ".tmp").c_str(), path.c_str());
      std::printf("wrote %s\n", path.c_str());
      std::fflush(stdout);
    }
    usleep(100'000);
  }
}
