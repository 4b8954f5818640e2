#include "load/run/scraper.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>

namespace rankscope::load {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPeriod{1000};
constexpr milliseconds kLookAround{50};

std::int64_t WallNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

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
  client_->Abort();
  thread_.join();
}

void Scraper::Run() {
  std::FILE* file = nullptr;
  auto next = std::chrono::steady_clock::now();
  while (!is_over_) {
    const std::int64_t asked = WallNow();
    const auto reply = client_->Send({.method = "GET", .target = "/metrics"});
    const bool is_there = reply.ok() && reply->status == 200;
    // Of a server that never had any, no more is asked; one that has stalled is asked again.
    if (!is_there && file == nullptr && reply.ok()) break;
    if (is_there) {
      if (file == nullptr) file = std::fopen(path_.c_str(), "we");
      if (file == nullptr) break;
      fmt::print(file, "# scraped_at {}\n{}", asked, reply->body);
      if (!reply->body.ends_with('\n')) std::fputc('\n', file);
      std::fflush(file);
    }
    next += kPeriod;
    while (!is_over_ && std::chrono::steady_clock::now() < next)
      std::this_thread::sleep_for(kLookAround);
  }
  if (file != nullptr) std::fclose(file);
}

}  // namespace rankscope::load
