// Scrapes /metrics of the server under load once per second, on a thread of its own.
#pragma once

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "load/base/spec.h"

namespace rankscope::load {

class Scraper {
 public:
  // Writes scrapes to `path`, each preceded by a comment with its time. A server without /metrics
  // is asked once, and no file is made. The destructor takes the last scrape, within ten seconds.
  Scraper(const Target& target, std::string path);
  ~Scraper();
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

 private:
  void Run();
  bool Scrape();  // false: stop scraping

  std::unique_ptr<http::Client> client_;
  const std::string path_;
  std::FILE* file_ = nullptr;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace rankscope::load
