#include "agent/serving_pages.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostInstance = 100;

// What names of files and comments of a scrape bear.
bool IsInstance(std::string_view text) {
  return !text.empty() && text.size() <= kMostInstance && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == ':';
  });
}

// "127.0.0.1:8000" of "http://127.0.0.1:8000/metrics".
std::string_view AuthorityOf(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return "";
  const std::string_view rest = url.substr(begin + 3);
  return rest.substr(0, rest.find('/'));
}

}  // namespace

Result<ServingPage> ParseServingPage(std::string_view text) {
  const std::size_t equals = text.find('=');
  const bool has_name = equals < text.find("://");
  const std::string_view url = has_name ? text.substr(equals + 1) : text;
  const std::string_view instance = has_name ? text.substr(0, equals) : AuthorityOf(url);
  ServingPage page{.instance = std::string(instance), .address = {}};
  RS_ASSIGN_OR_RETURN(page.address, ParsePage(url));
  if (!IsInstance(instance))
    return Error(StatusCode::kInvalidArgument,
                 "'{}': an instance's name has letters, digits, '.', '_', '-' and ':' (at most "
                 "{}); give one as NAME=URL",
                 text, kMostInstance);
  return page;
}

Result<std::vector<ServingPage>> ParseServingPages(const std::vector<std::string>& texts) {
  std::vector<ServingPage> pages;
  std::set<std::string, std::less<>> names;
  for (const std::string& text : texts) {
    RS_ASSIGN_OR_RETURN(ServingPage page, ParseServingPage(text));
    if (!names.insert(page.instance).second)
      return Error(StatusCode::kInvalidArgument,
                   "'{}': there is an instance {} already; give each its name as NAME=URL", text,
                   page.instance);
    pages.push_back(std::move(page));
  }
  return pages;
}

ServingPages::ServingPages(const std::vector<ServingPage>& pages,
                           std::chrono::milliseconds interval, std::size_t most_bytes, Clock clock,
                           Reader reader)
    : pages_(pages),
      interval_(interval),
      most_bytes_(most_bytes),
      clock_(std::move(clock)),
      reader_(std::move(reader)) {
  for (const ServingPage& page : pages_) {
    asked_.push_back(std::make_unique<Page>(page.address));
    names_.push_back("serving " + page.instance);
  }
  if (!reader_) reader_ = [this](std::size_t page) { return asked_[page]->Get(); };
}

std::vector<Source> ServingPages::Sources() {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    sources.push_back({names_[i], interval_, [this, i](const std::string&, Readings& readings) {
                         return Read(i, readings);
                       }});
  }
  return sources;
}

Status ServingPages::Read(std::size_t page, Readings& readings) {
  RS_ASSIGN_OR_RETURN(std::string text, reader_(page));
  const std::int64_t now = clock_().unix_us;
  const std::scoped_lock lock(mutex_);
  kept_bytes_ += text.size();
  kept_.push_back({page, now, std::move(text)});
  while (kept_bytes_ > most_bytes_) {
    kept_bytes_ -= kept_.front().text.size();
    kept_.pop_front();
  }
  readings.Add(quantity::kAgentServingKept, {{"instance", pages_[page].instance}},
               static_cast<double>(BytesOf(page)));
  return OkStatus();
}

std::size_t ServingPages::BytesOf(std::size_t page) const {
  std::size_t bytes = 0;
  for (const Scrape& scrape : kept_) bytes += scrape.page == page ? scrape.text.size() : 0;
  return bytes;
}

std::vector<ServingPages::Scrapes> ServingPages::Between(std::int64_t from_unix_us,
                                                         std::int64_t to_unix_us) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Scrapes> all;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    Scrapes own{.instance = pages_[page].instance, .text = ""};
    for (const Scrape& scrape : kept_) {
      if (scrape.page != page || scrape.unix_us < from_unix_us || scrape.unix_us > to_unix_us)
        continue;
      // The first comment begins a scrape, and says when it was made.
      own.text +=
          fmt::format("# scraped_at {}\n# instance {}\n", scrape.unix_us, pages_[page].instance);
      own.text += scrape.text;
      if (!own.text.ends_with('\n')) own.text += '\n';
    }
    if (!own.text.empty()) all.push_back(std::move(own));
  }
  return all;
}

void ServingPages::Abort() {
  for (const auto& page : asked_) page->Abort();
}

}  // namespace rankscope::agent
