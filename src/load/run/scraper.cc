#include "load/run/scraper.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>

#include "load/base/wall_clock.h"

namespace rankscope::load {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPeriod{1000};
constexpr milliseconds kLookAround{50};

}  // namespace

Scraper::Scraper(const Target& target, std::string path)
    : client_(http::MakeClient(target.address,
                               [&] {
                                 http::ClientOptions options = target.client;
                                 options.time = std::chrono::seconds(10);
                                 return options;
                               }())),
      path_(std::move(path)),
      thread_([this] { Run(); }) {}

Scraper::~Scraper() {
  is_over_ = true;
  thread_.join();
}

// Of a server that never had any, no more is asked; one that has stalled is asked again.
bool Scraper::Scrape() {
  const std::int64_t asked = WallNow();
  const auto reply = client_->Send({.method = "GET", .target = "/metrics"});
  if (!reply.ok()) return true;
  if (reply->status != 200) return file_ != nullptr;
  if (file_ == nullptr) file_ = std::fopen(path_.c_str(), "we");
  if (file_ == nullptr) return false;
  fmt::print(file_, "# scraped_at {}\n{}", asked, reply->body);
  if (!reply->body.ends_with('\n')) std::fputc('\n', file_);
  std::fflush(file_);
  return true;
}

void Scraper::Run() {
  auto next = std::chrono::steady_clock::now();
  bool goes_on = true;
  while (goes_on && !is_over_) {
    goes_on = Scrape();
    next += kPeriod;
    while (goes_on && !is_over_ && std::chrono::steady_clock::now() < next)
      std::this_thread::sleep_for(kLookAround);
  }
  // What was gained behind the last but one.
  if (goes_on) Scrape();
  if (file_ != nullptr) std::fclose(file_);
}

}  // namespace rankscope::load
