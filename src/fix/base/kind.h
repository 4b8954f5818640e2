// Kind: one kind of patch: which findings it answers, what it looks for, what it writes.
//
// `look` goes through a Project and tells a Look every place that the kind is about: those that it
// would change (Propose), those that are right already (Right), and those that it must leave to the
// user (Leave). Which of the proposed ones are meant is decided by choose.h, the same for all
// kinds: a place that was right, or was made so, still counts as one of several. So a second run,
// on what the first one left, chooses the same and changes nothing.
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

// How stacks tell which places are meant.
enum class Stacks : std::uint8_t {
  kNameIt,    // they point at the very place: where there are stacks, no other is meant
  kNarrowIt,  // they may point at a loop over it, or elsewhere
  kSilent,    // it is a matter of the program
};

// A place in the user's code that a kind of patch is about.
struct Site {
  std::size_t file = 0;
  Node at;                  // its line is told
  Node group;               // sites of one group are meant together; `at` where none is given
  std::vector<Node> shown;  // a stack on a line of these means it; `at` is one of them
  bool is_in_training = false;
};

struct Candidate {
  Site site;
  std::vector<Edit> edits;  // of the file as it is now; none: it is right already
  std::string what;         // "DataLoader gets pin_memory=True"
  std::string undo;         // "remove pin_memory=True"
};

class Look {
 public:
  // All outlive it. `finding` is the id that is answered.
  Look(const Project& project, const DeviceAbility& device, std::string_view finding)
      : project_(project), device_(device), finding_(finding) {}

  const Project& project() const { return project_; }
  std::string_view finding() const { return finding_; }
  const DeviceAbility& device() const { return device_; }

  void Propose(Candidate candidate) { candidates_.push_back(std::move(candidate)); }
  void Right(Site site) {
    candidates_.push_back({.site = std::move(site), .edits = {}, .what = {}, .undo = {}});
  }
  // `why` is a sentence: what is to be done by hand, and why.
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
  std::vector<std::string_view> findings;  // ids that it answers
  std::string_view looks_for;
  std::string_view writes;
  std::string_view undo;
  Stacks stacks = Stacks::kNarrowIt;
  void (*look)(Look& look) = nullptr;
};

}  // namespace rankscope::fix
