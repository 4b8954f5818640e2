// ActingAs: this thread opens and removes files as another user would, for as long as the object
// lives: with his uid, gid, groups and no more capabilities over files than his process has.
//
// What a user names to a daemon of root is opened so, that he reaches nothing through the daemon
// which he could not reach himself.
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

// Those of a process, by the text of its /proc/PID/status: real ids, since the effective ones may
// be those of a program that is privileged. Of anybody but root no capability counts: it may be one
// of a user namespace. kBadData when a line is missing or is none, and when the process is not
// `uid`'s.
Result<FileRights> FileRightsIn(std::string_view status, uid_t uid);

// Of the calling thread alone, and of threads that it starts meanwhile; on that thread it is
// destroyed. Not nested.
class ActingAs {
 public:
  explicit ActingAs(const FileRights& whose);
  // Ends the program when the thread cannot have its own rights back.
  ~ActingAs();
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;

  // False: this process may not act as others (no CAP_SETUID, CAP_SETGID); the thread goes on with
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
