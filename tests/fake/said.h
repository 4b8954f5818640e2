// What a test tells a driver that is none: a file of lines KEY VALUE, whose path is in an
// environment variable; the last line of a key counts. A line "slow_ms N" makes every call take so
// long.
#pragma once

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

namespace fake {

// All of it, as it is now; waits where it is to be slow.
inline std::map<std::string, std::string> Said(const char* variable) {
  const char* const path = std::getenv(variable);
  std::ifstream file(path == nullptr ? "" : path);
  std::map<std::string, std::string> said;
  std::string name, text;
  while (file >> name >> text) said[name] = text;
  if (const auto slow = said.find("slow_ms"); slow != said.end())
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(std::stod(slow->second)));
  return said;
}

// "!15" is the error 15; anything else and no line are none.
inline int ErrorOf(const std::map<std::string, std::string>& said, const std::string& key,
                   int otherwise = 0) {
  const auto found = said.find(key);
  if (found == said.end()) return otherwise;
  return found->second[0] == '!' ? std::stoi(found->second.substr(1)) : 0;
}

}  // namespace fake
