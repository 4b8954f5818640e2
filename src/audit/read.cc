#include "audit/read.h"

#include <iterator>
#include <utility>

namespace rankscope::audit {
namespace {

constexpr std::int64_t kMostLooked = 100'000;
constexpr std::size_t kMostProblems = 20;

// Follows the chain.
class Chain {
 public:
  explicit Chain(const std::optional<Head>& expected) : expected_(expected) {}

  void Take(std::string_view line) {
    ++verified_.lines;
    const auto entry = ReadLine(line);
    if (!entry.ok()) {
      Say(fmt::format("the line behind number {}: {}", verified_.last.number,
                      entry.status().message()));
      is_broken_ = true;  // the next one is not its fault
      return;
    }
    if (verified_.first == 0) {
      verified_.first = entry->number;
    } else if (entry->number != verified_.last.number + 1 && !is_broken_) {
      Say(fmt::format("behind number {} comes {}: lines are missing or in another order",
                      verified_.last.number, entry->number));
    } else if (entry->before != verified_.last.hash && !is_broken_) {
      Say(fmt::format("number {}: the line before it is another one than when it was written",
                      entry->number));
    }
    if (entry->number == 1 && !entry->before.empty()) Say("number 1: there was a line before it");
    if (expected_ && expected_->number == entry->number && expected_->hash != entry->hash)
      Say(fmt::format("number {}: it is not the line whose hash was noted", entry->number));
    is_broken_ = false;
    verified_.last = {.number = entry->number, .hash = entry->hash};
  }

  // `noted` is read before the lines are.
  Verified End(const Head& noted) {
    if (noted.number > verified_.last.number) {
      Say(fmt::format("the last {} lines are missing: number {} was written",
                      noted.number - verified_.last.number, noted.number));
    } else if (noted.number == verified_.last.number && noted.hash != verified_.last.hash) {
      Say(fmt::format("number {}: it is not the line that was written last", noted.number));
    }
    if (expected_ && expected_->number > verified_.last.number &&
        expected_->number > noted.number) {
      Say(fmt::format("number {}, which was noted, is missing", expected_->number));
    }
    return std::move(verified_);
  }

 private:
  void Say(std::string problem) {
    if (verified_.problems.size() < kMostProblems) {
      verified_.problems.push_back(std::move(problem));
    } else {
      ++verified_.more_problems;
    }
  }

  const std::optional<Head> expected_;
  Verified verified_;
  bool is_broken_ = false;
};

}  // namespace

bool Filter::Fits(const api::AuditEntry& entry) const {
  const bool is_act = act.ends_with('.') ? entry.act.starts_with(act) : entry.act == act;
  return (since.empty() || entry.time >= since) && (who.empty() || entry.who == who) &&
         (run.empty() || entry.run == run) && (act.empty() || is_act);
}

Result<Page> ReadPage(Lines& lines, const Filter& filter, std::size_t limit, std::int64_t before) {
  Page page;
  std::int64_t looked = 0;
  RS_RETURN_IF_ERROR(lines.FromNewest([&](std::string_view line) {
    const auto entry = ReadLine(line);
    if (!entry.ok() || (before > 0 && entry->number >= before)) return true;
    // Times go up with numbers, as far as the machine's clock does.
    if (!filter.since.empty() && entry->time < filter.since) return false;
    if (page.entries.size() == limit || ++looked > kMostLooked) {
      page.older = entry->number + 1;
      return false;
    }
    if (filter.Fits(*entry)) page.entries.push_back(*entry);
    return true;
  }));
  return page;
}

Result<std::vector<api::AuditEntry>> ReadNewest(Lines& lines, const Filter& filter,
                                                std::size_t most) {
  std::vector<api::AuditEntry> entries;
  for (std::int64_t before = 0; entries.size() < most;) {
    RS_ASSIGN_OR_RETURN(Page page, ReadPage(lines, filter, most - entries.size(), before));
    std::move(page.entries.begin(), page.entries.end(), std::back_inserter(entries));
    if (page.older == 0) break;
    before = page.older;
  }
  return entries;
}

Result<Verified> Verify(Lines& lines, const std::optional<Head>& expected) {
  RS_ASSIGN_OR_RETURN(const Head noted, lines.Noted());
  Chain chain(expected);
  RS_RETURN_IF_ERROR(lines.FromOldest([&](std::string_view line) {
    chain.Take(line);
    return true;
  }));
  return chain.End(noted);
}

}  // namespace rankscope::audit
