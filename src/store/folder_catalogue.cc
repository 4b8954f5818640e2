#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>

#include "base/durable.h"
#include "base/file.h"
#include "store/asked.h"
#include "store/catalogue.h"
#include "store/random_id.h"
#include "store/shared_turn.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

class FolderCatalogue : public Catalogue {
 public:
  FolderCatalogue(std::string folder, std::string temporary, std::function<std::int64_t()> now_s)
      : folder_(std::move(folder)), temporary_(std::move(temporary)), now_s_(std::move(now_s)) {}

  Status Load() {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(kEnding)) continue;
      const auto text = ReadFile(entry.path().string());
      const auto run = text.ok() ? FromRecord(*text) : Result<Run>(text.status());
      if (run.ok() && run->id + std::string(kEnding) == name) {
        Keep(*run);
      } else {
        const Status why =
            run.ok() ? Error(StatusCode::kBadData, "it has the id of another run") : run.status();
        unreadable_.emplace_back(entry.path().string(), why);
      }
    }
    if (error) return Error(StatusCode::kIo, "{}: cannot list: {}", folder_, error.message());
    return OkStatus();
  }

  Result<Run> Create(Run run, std::size_t most_of_team) override {
    const std::lock_guard creating(creating_);
    if (RunPtr same = OfKey(run.key)) return *same;
    if (most_of_team > 0 && CountOf(run.team, most_of_team) >= most_of_team)
      return TooManyRuns(most_of_team);
    run.created_s = run.changed_s = run.sealed_s = now_s_();
    do {
      run.id = NewId(run.created_s);
    } while (KeptOf(run.id) != nullptr);
    RS_RETURN_IF_ERROR(Write(run));
    Keep(run);
    return run;
  }

  Result<RunPtr> Look(std::string_view id) const override {
    const std::lock_guard lock(mutex_);
    const auto found = runs_.find(id);
    if (found == runs_.end()) return NoRun(id);
    return found->second->run;
  }

  Result<std::vector<Run>> All() const override {
    std::vector<Run> all;
    {
      const std::lock_guard lock(mutex_);
      all.reserve(runs_.size());
      for (const auto& [id, kept] : runs_) all.push_back(*kept->run);
    }
    std::ranges::sort(all, [](const Run& a, const Run& b) {
      return std::tie(b.created_s, b.id) < std::tie(a.created_s, a.id);
    });
    return all;
  }

  Result<RunPage> Page(const RunQuery& query) const override {
    const std::lock_guard lock(mutex_);
    return index_.Page(query);
  }

  Result<std::size_t> Count() const override {
    const std::lock_guard lock(mutex_);
    return index_.size();
  }

  Result<RunPtr> Update(std::string_view id, const std::function<Status(Run&)>& change) override {
    Asked asked{.change = &change};
    RS_RETURN_IF_ERROR(Do(id, asked));
    return asked.run;
  }

  Status Remove(std::string_view id) override {
    Asked asked;
    return Do(id, asked);
  }

  Result<std::vector<std::pair<std::string, Status>>> Unreadable() const override {
    return unreadable_;
  }

 private:
  struct Kept {
    RunPtr run;  // null once it is removed
    SharedTurn<Asked> turn;
  };

  // Ids rise within a second, so that runs are listed in the order in which they were made.
  std::string NewId(std::int64_t created_s) const {
    const std::lock_guard lock(mutex_);
    const RunPage newest = index_.Page({.descending = true, .limit = 1});
    const bool is_first = newest.runs.empty() || newest.runs.front()->created_s != created_s;
    return is_first ? RandomId() : RandomIdBehind(newest.runs.front()->id);
  }

  static Status NoRun(std::string_view id) {
    return Error(StatusCode::kNotFound, "the store has no run '{}'", id);
  }
  std::string PathOf(const std::string& id) const {
    return folder_ + "/" + id + std::string(kEnding);
  }
  Status Write(const Run& run) const {
    return WriteDurably(PathOf(run.id), ToRecord(run), temporary_);
  }

  std::shared_ptr<Kept> KeptOf(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = runs_.find(id);
    return found == runs_.end() ? nullptr : found->second;
  }
  // Runs of the team, counted only where all together are as many as `from`; else less.
  std::size_t CountOf(std::string_view team, std::size_t from) const {
    const std::lock_guard lock(mutex_);
    if (runs_.size() < from) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(
        runs_, [team](const auto& kept) { return kept.second->run->team == team; }));
  }

  // Null for no key, and for one that no run has.
  RunPtr OfKey(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = ids_.find(key);
    return found == ids_.end() ? nullptr : runs_.find(found->second)->second->run;
  }

  // In place of the run with its id, if there is one.
  RunPtr Keep(Run run) {
    auto record = std::make_shared<const Run>(std::move(run));
    const std::lock_guard lock(mutex_);
    if (!record->key.empty()) ids_[record->key] = record->id;
    index_.Put(record);
    auto& kept = runs_[record->id];
    if (kept == nullptr) kept = std::make_shared<Kept>();
    kept->run = record;
    return record;
  }
  void Drop(Kept& kept) {
    const std::lock_guard lock(mutex_);
    ids_.erase(kept.run->key);
    index_.Remove(kept.run->id);
    runs_.erase(runs_.find(std::exchange(kept.run, nullptr)->id));
  }

  Status Do(std::string_view id, Asked& asked) {
    const std::shared_ptr<Kept> kept = KeptOf(id);
    if (kept == nullptr) return NoRun(id);
    kept->turn.Join(asked, [&](std::span<Asked* const> all) { DoAll(id, *kept, all); });
    return asked.status;
  }

  // What several have asked of one run, in this order.
  void DoAll(std::string_view id, Kept& kept, std::span<Asked* const> all) {
    // Only who has the turn changes it.
    const RunPtr before = kept.run;
    const auto removal = std::ranges::find(all, nullptr, &Asked::change);
    if (before == nullptr || removal != all.end()) {
      for (Asked* one : all) one->status = NoRun(id);
      if (before == nullptr) return;
      Status& removed = (*removal)->status;
      removed = RemoveDurably(PathOf(before->id));
      if (removed.ok()) return Drop(kept);
      for (Asked* one : all) one->status = removed;
      return;
    }
    Applied applied = ApplyAll(*before, all, now_s_());
    RunPtr after = before;
    if (applied.is_changed) {
      const Status written = Write(applied.run);
      if (written.ok()) after = Keep(std::move(applied.run));
      applied.Ended(written);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i]->status = std::move(applied.statuses[i]);
      all[i]->run = after;
    }
  }

  std::string folder_;
  std::string temporary_;
  std::function<std::int64_t()> now_s_;
  // Held by who makes a run: keys are looked for and taken with nothing in between.
  std::mutex creating_;
  // Held while the runs in memory change: who reads does not wait for the disk. Who changes a run
  // has its turn.
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Kept>, std::less<>> runs_;
  std::map<std::string, std::string> ids_;  // by key
  RunIndex index_;
  std::vector<std::pair<std::string, Status>> unreadable_;
};

}  // namespace

Result<Run> Catalogue::Find(std::string_view id) const {
  RS_ASSIGN_OR_RETURN(const RunPtr run, Look(id));
  return *run;
}

Result<Run> Catalogue::Change(std::string_view id, const std::function<Status(Run&)>& change) {
  RS_ASSIGN_OR_RETURN(const RunPtr run, Update(id, change));
  return *run;
}

Result<std::unique_ptr<Catalogue>> OpenFolderCatalogue(std::string folder, std::string temporary,
                                                       std::function<std::int64_t()> now_s) {
  auto catalogue =
      std::make_unique<FolderCatalogue>(std::move(folder), std::move(temporary), std::move(now_s));
  RS_RETURN_IF_ERROR(catalogue->Load());
  return std::unique_ptr<Catalogue>(std::move(catalogue));
}

}  // namespace rankscope::store
