// ActingAs: for as long as the object lives, this thread opens and removes files as another user:
// with that user's uid and gid, groups, and no more capabilities over files than the user's process
// has.
//
// A daemon of root opens files named by a user in this way, so that the user cannot reach anything
// through the daemon that they could not reach directly.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::agent {

struct FileRights {
  uid_t uid = static_cast<uid_t>(-1);
  gid_t gid = static_cast<gid_t>(-1);
  std::vector<gid_t> groups;
  std::uint64_t capabilities = 0;  // effective ones, a bit each (capabilities(7))
};

// Rights of a process, from the text of its /proc/PID/status. Real ids are used, since the
// effective ones may be those of a privileged program. Capabilities count only for root: others may
// have them from a user namespace. kBadData if a line is missing or malformed, or if the process
// does not belong to `uid`.
Result<FileRights> FileRightsIn(std::string_view status, uid_t uid);

// Applies only to the calling thread and to threads that it starts meanwhile. Destroy it on the
// same thread. Not nested.
class ActingAs {
 public:
  explicit ActingAs(const FileRights& whose);
  // Ends the program if the thread cannot get its own rights back.
  ~ActingAs();
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;

  // False: this process may not act as others (no CAP_SETUID, CAP_SETGID). The thread then keeps
  // its own rights, and removes and writes nothing for others.
  bool is_them() const { return is_them_; }

 private:
  std::vector<gid_t> groups_;
  uid_t uid_;
  gid_t gid_;
  std::uint64_t capabilities_ = 0;
  bool has_groups_ = false;
  bool has_capabilities_ = false;
  bool is_them_ = false;
};

}  // namespace rankscope::agent
