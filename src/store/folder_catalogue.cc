#include <sys/random.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>

#include "base/file.h"
#include "store/catalogue.h"
#include "store/durable.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

std::string NewId() {
  std::uint64_t number = 0;
  // Never fails for so few bytes once the system is up.
  while (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
  }
  return fmt::format("{:016x}", number);
}

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

  Result<Run> Create(Run run) override {
    const std::lock_guard writing(writing_);
    if (!run.key.empty()) {
      const auto same = ids_.find(run.key);
      if (same != ids_.end()) return *runs_.find(same->second)->second;
    }
    do {
      run.id = NewId();
    } while (runs_.contains(run.id));
    run.created_s = run.changed_s = now_s_();
    RS_RETURN_IF_ERROR(Write(run));
    const std::lock_guard lock(mutex_);
    Keep(run);
    return run;
  }

  Result<Run> Find(std::string_view id) const override {
    const std::lock_guard lock(mutex_);
    const auto found = runs_.find(id);
    if (found == runs_.end()) return NoRun(id);
    return *found->second;
  }

  std::vector<Run> All() const override {
    const std::lock_guard lock(mutex_);
    std::vector<Run> all;
    all.reserve(runs_.size());
    for (const auto& [id, run] : runs_) all.push_back(*run);
    std::ranges::sort(all, [](const Run& a, const Run& b) {
      return std::tie(b.created_s, a.id) < std::tie(a.created_s, b.id);
    });
    return all;
  }

  RunPage Page(const RunQuery& query) const override {
    const std::lock_guard lock(mutex_);
    return index_.Page(query);
  }

  std::size_t Count() const override {
    const std::lock_guard lock(mutex_);
    return index_.size();
  }

  Result<Run> Change(std::string_view id, const std::function<Status(Run&)>& change) override {
    const std::lock_guard writing(writing_);
    const auto found = runs_.find(id);
    if (found == runs_.end()) return NoRun(id);
    const Run& before = *found->second;
    Run run = before;
    RS_RETURN_IF_ERROR(change(run));
    run.id = before.id;
    run.key = before.key;
    run.created_s = before.created_s;
    if (run == before) return run;
    run.changed_s = now_s_();
    RS_RETURN_IF_ERROR(Write(run));
    const std::lock_guard lock(mutex_);
    Keep(run);
    return run;
  }

  Status Remove(std::string_view id) override {
    const std::lock_guard writing(writing_);
    const auto found = runs_.find(id);
    if (found == runs_.end()) return NoRun(id);
    RS_RETURN_IF_ERROR(RemoveDurably(PathOf(found->first)));
    const std::lock_guard lock(mutex_);
    ids_.erase(found->second->key);
    index_.Remove(id);
    runs_.erase(found);
    return OkStatus();
  }

  std::vector<std::pair<std::string, Status>> Unreadable() const override { return unreadable_; }

 private:
  static Status NoRun(std::string_view id) {
    return Error(StatusCode::kNotFound, "the store has no run '{}'", id);
  }
  std::string PathOf(const std::string& id) const {
    return folder_ + "/" + id + std::string(kEnding);
  }
  // In place of the run with its id, if there is one.
  void Keep(Run run) {
    const auto kept = std::make_shared<const Run>(std::move(run));
    if (!kept->key.empty()) ids_[kept->key] = kept->id;
    index_.Put(kept);
    runs_[kept->id] = kept;
  }
  Status Write(const Run& run) const {
    return WriteDurably(PathOf(run.id), ToRecord(run), temporary_);
  }

  std::string folder_;
  std::string temporary_;
  std::function<std::int64_t()> now_s_;
  // Who changes holds `writing_` throughout, and `mutex_` while the runs change: who reads does not
  // wait for the disk.
  std::mutex writing_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Run>, std::less<>> runs_;
  std::map<std::string, std::string> ids_;  // by key
  RunIndex index_;
  std::vector<std::pair<std::string, Status>> unreadable_;
};

}  // namespace

Result<std::unique_ptr<Catalogue>> OpenFolderCatalogue(std::string folder, std::string temporary,
                                                       std::function<std::int64_t()> now_s) {
  auto catalogue =
      std::make_unique<FolderCatalogue>(std::move(folder), std::move(temporary), std::move(now_s));
  RS_RETURN_IF_ERROR(catalogue->Load());
  return std::unique_ptr<Catalogue>(std::move(catalogue));
}

}  // namespace rankscope::store
