// What a test tells a driver that is none: a file of lines KEY VALUE, whose path is in an
// environment variable; the last line of a key counts. While there is a line "hangs 1", no call
// comes back; the first that hangs makes the file PATH.hangs.
#pragma once

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

namespace fake {

inline std::map<std::string, std::string> Read(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::string> said;
  std::string name, text;
  while (file >> name >> text) said[name] = text;
  return said;
}

// All of it, as it is now; waits while it is to hang.
inline std::map<std::string, std::string> Said(const char* variable) {
  const char* const name = std::getenv(variable);
  const std::string path = name == nullptr ? "" : name;
  auto said = Read(path);
  while (said.contains("hangs")) {
    std::ofstream(path + ".hangs", std::ios::app).flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    said = Read(path);
  }
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
