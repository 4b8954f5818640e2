#include "store/record_cache.h"

#include <utility>

namespace rankscope::store {

std::shared_ptr<const Run> RecordCache::Find(std::string_view id, std::int64_t version) {
  const std::scoped_lock lock(mutex_);
  const auto found = kept_.find(id);
  if (found == kept_.end() || found->second.version != version) return nullptr;
  used_.splice(used_.begin(), used_, found->second.place);
  return found->second.run;
}

std::int64_t RecordCache::VersionOf(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = kept_.find(id);
  return found == kept_.end() ? -1 : found->second.version;
}

void RecordCache::Put(std::shared_ptr<const Run> run, std::int64_t version, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = kept_.find(run->id); found != kept_.end()) {
    // Who read it before somebody else changed it may come later.
    if (found->second.version > version) return;
    DropLocked(found);
  }
  used_.push_front(run->id);
  bytes_ += bytes;
  const std::string& id = used_.front();
  kept_[id] = {.run = std::move(run), .version = version, .bytes = bytes, .place = used_.begin()};
  // The one that came last stays, however large it is.
  while (bytes_ > most_bytes_ && used_.size() > 1) DropLocked(kept_.find(used_.back()));
}

void RecordCache::Remove(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = kept_.find(id); found != kept_.end()) DropLocked(found);
}

void RecordCache::DropLocked(std::map<std::string, Kept, std::less<>>::iterator kept) {
  bytes_ -= kept->second.bytes;
  used_.erase(kept->second.place);
  kept_.erase(kept);
}

}  // namespace rankscope::store
