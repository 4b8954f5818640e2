#include "service/changes/launches.h"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <utility>

#include "api/again.h"
#include "service/requests/reply.h"
#include "service/runs/run_notes.h"

namespace rankscope::service {
namespace {

// Whom an operator's launcher is for.
bool IsFor(const Principal& who, const store::Run& run) {
  return who.role == Role::kAdmin ||
         (who.role == Role::kUpload && !who.name.empty() && who.name == run.user);
}

// So that whoever looks at the run sees it; one that is gone, or full of notes, needs none.
void Note(Parts& parts, const std::string& run, store::RunNote note) {
  (void)parts.store.catalogue().Change(
      run, [&](store::Run& one) { return AddNote(one, note, parts.quotas.notes_of_run); });
}

}  // namespace

// What is being handed over: a run is not started twice by two clicks.
class Launches::UnderWay {
 public:
  // False while the same is.
  bool Begin(const std::string& what) {
    const std::scoped_lock lock(mutex_);
    return what_.insert(what).second;
  }
  void End(const std::string& what) {
    const std::scoped_lock lock(mutex_);
    what_.erase(what);
  }
  std::uint64_t NextNumber() { return next_++; }

 private:
  std::mutex mutex_;
  std::set<std::string> what_;
  std::atomic<std::uint64_t> next_ = 0;
};

Launches::Launches(With with) : with_(std::move(with)), under_way_(std::make_shared<UnderWay>()) {}
Launches::~Launches() = default;

bool Launches::CanLaunch(const Principal& who, const store::Run& run) const {
  return !with_.config.argv.empty() && IsFor(who, run);
}

http::Reply Launches::Start(const store::Run& run, LaunchOrder order, const std::string& what,
                            const std::string& about, const Call& call) const {
  if (with_.config.argv.empty())
    return ErrorReply(
        404, "no_launcher",
        fmt::format("this server starts no jobs; whoever runs it may let it (serve {})",
                    with_.option));
  if (!IsFor(call.who, run))
    return ErrorReply(403, "not_allowed", "this is for the run's user and admins");
  const std::string key = run.id + " " + order.finding;
  if (!under_way_->Begin(key)) return ErrorReply(409, "under_way", "this is being started already");
  // However the work ends, or is dropped.
  const std::shared_ptr<void> ended(nullptr,
                                    [under_way = under_way_, key](void*) { under_way->End(key); });
  order.run = run.id;
  order.who = call.who.name;
  const auto start = [with = with_, under_way = under_way_, ended, order = std::move(order), what,
                      about] {
    const std::string shown = fmt::format(
        "{}, asked by {}", about, order.who.empty() ? "somebody without a token" : order.who);
    with.log("launch", shown);
    const Result<std::string> said =
        Launch(with.config, order,
               fmt::format("{}/{}-{}", with.folder, order.run, under_way->NextNumber()));
    const std::string words = said.ok() ? *said : said.status().message();
    with.log("launch", fmt::format("{}: {}", shown, words));
    Note(with.parts, order.run,
         {.made_s = with.now_s(),
          .user = order.who,
          .text = fmt::format("{}: {}", what, words.empty() ? "started" : words)});
    if (!said.ok()) return ErrorReply(said.status());
    return JsonReply(202, json::ToJson(api::Launched{.output = *said}));
  };
  return with_.work.Reply({.run = start, .stop = [] {}},
                          with_.config.time + std::chrono::seconds(60));
}

}  // namespace rankscope::service
