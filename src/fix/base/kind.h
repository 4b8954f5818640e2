// Kind: one kind of patch: the findings it handles, what it looks for, what it writes.
//
// `look` searches a Project and reports to a Look every place that the kind is about: places to
// change (Propose), places that are right already (Right), and places that it must leave to the
// user (Leave). choose.h, which all kinds share, decides which of the proposed places are meant. A
// place that was right, or was fixed, still counts as a candidate. So a second run on the result of
// the first makes the same choice and changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fix/base/project.h"
#include "fix/base/request.h"
#include "fix/python/edits.h"

namespace rankscope::fix {

// How stacks indicate which places are meant.
enum class Stacks : std::uint8_t {
  kNameIt,    // they point at the exact place: if there are stacks, no other place is meant
  kNarrowIt,  // they may point at a loop around it, or elsewhere
  kSilent,    // they do not help: the matter concerns the whole program
};

// A place in the user's code that a kind of patch is about.
struct Site {
  std::size_t file = 0;
  Node at;                  // its line is reported
  Node group;               // sites of one group are treated together; `at` by default
  std::vector<Node> shown;  // a stack on one of their lines means this site; includes `at`
  bool is_in_training = false;
};

struct Candidate {
  Site site;
  std::vector<Edit> edits;  // of the current file; none: it is right already
  std::string what;         // "DataLoader gets pin_memory=True"
  std::string undo;         // "remove pin_memory=True"
};

class Look {
 public:
  // All must outlive it. `finding` is the id of the finding being handled.
  Look(const Project& project, const DeviceAbility& device, std::string_view finding)
      : project_(project), device_(device), finding_(finding) {}

  const Project& project() const { return project_; }
  std::string_view finding() const { return finding_; }
  const DeviceAbility& device() const { return device_; }

  void Propose(Candidate candidate) { candidates_.push_back(std::move(candidate)); }
  void Right(Site site) {
    candidates_.push_back({.site = std::move(site), .edits = {}, .what = {}, .undo = {}});
  }
  // `why` is a sentence: what the user should do by hand, and why.
  void Leave(Site site, std::string why) { left_.push_back({std::move(site), std::move(why)}); }

  struct LeftSite {
    Site site;
    std::string why;
  };
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<LeftSite>& left() const { return left_; }

 private:
  const Project& project_;
  const DeviceAbility& device_;
  const std::string_view finding_;
  std::vector<Candidate> candidates_;
  std::vector<LeftSite> left_;
};

struct Kind {
  std::string_view name;                   // never changes
  std::vector<std::string_view> findings;  // ids of the findings that it handles
  std::string_view looks_for;
  std::string_view writes;
  std::string_view undo;
  Stacks stacks = Stacks::kNarrowIt;
  void (*look)(Look& look) = nullptr;
};

}  // namespace rankscope::fix
