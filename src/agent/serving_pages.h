// ServingPages: scrapes of the serving programs of this host (vLLM, SGLang, Triton, ...), so that a
// capture includes their metrics around it.
//
// Each page is read at an interval and kept unchanged, in memory, up to a limit in bytes for all
// pages together; beyond it the oldest are dropped. rankscope serving reads the resulting files:
// one scrape after the other, each with its time and the name of its instance.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/now.h"
#include "agent/telemetry/page.h"
#include "agent/telemetry/sample.h"
#include "base/status.h"

namespace rankscope::agent {

struct ServingPage {
  std::string instance;  // how its scrapes are named
  PageAddress address;
};
// "http://127.0.0.1:8000/metrics", with the instance HOST:PORT, or "INSTANCE=http://...".
// kInvalidArgument in a sentence.
Result<ServingPage> ParseServingPage(std::string_view text);
// All pages of a setting; two instances of one name are refused.
Result<std::vector<ServingPage>> ParseServingPages(const std::vector<std::string>& texts);

// Safe for many threads, except that each source is read by one at a time.
class ServingPages {
 public:
  // The text of a page, by its index.
  using Reader = std::function<Result<std::string>(std::size_t page)>;
  // `reader`: empty, then pages are read over HTTP.
  ServingPages(const std::vector<ServingPage>& pages, std::chrono::milliseconds interval,
               std::size_t most_bytes, Clock clock = NowOfHost, Reader reader = {});

  // One for each page, which keeps its scrapes in this object; this object outlives it.
  std::vector<Source> Sources();
  // The scrapes of each page in this time, for pages that have any: a file for rankscope serving.
  struct Scrapes {
    std::string instance;
    std::string text;
  };
  std::vector<Scrapes> Between(std::int64_t from_unix_us, std::int64_t to_unix_us) const;
  // Ends the present wait and all later ones.
  void Abort();

 private:
  struct Scrape {
    std::size_t page = 0;
    std::int64_t unix_us = 0;
    std::string text;
  };
  Status Read(std::size_t page, Readings& readings);
  // With the lock held.
  std::size_t BytesOf(std::size_t page) const;

  const std::vector<ServingPage> pages_;
  const std::chrono::milliseconds interval_;
  const std::size_t most_bytes_;
  const Clock clock_;
  std::vector<std::unique_ptr<Page>> asked_;  // of each page
  Reader reader_;
  std::vector<std::string> names_;  // of the sources, "serving INSTANCE"
  mutable std::mutex mutex_;
  std::deque<Scrape> kept_;  // the oldest first
  std::size_t kept_bytes_ = 0;
};

}  // namespace rankscope::agent
