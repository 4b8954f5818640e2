// Guard: a process beside the tuner; only it changes a service. It restores the old settings when
// the tuner ends, in whatever way, or when the service fails in its canary.
//
// A pair of sockets connects them; the end of the tuner closes its socket, so no timeout is needed.
// The guard has its own session, so that closing a terminal does not end it. If the guard itself is
// killed, the tuner restores the service. If both are killed, the next tuner (or `rankscope tune
// --restore`) does, from the lease on disk.
#pragma once

#include <optional>
#include <string>

#include "base/process.h"
#include "base/status.h"
#include "serving/load/level.h"
#include "tune/subject/guard_words.h"

namespace rankscope::tune {

class Guard {
 public:
  // `command` runs GuardMain for `folder`, where its log goes. kBadData if another tuner works
  // there. First restores what a dead tuner left: `has_restored`.
  static Result<Guard> Start(const std::vector<std::string>& command, const std::string& folder);
  Guard(Guard&&) noexcept = default;
  // Restores the service if its lease is still held.
  ~Guard();

  bool has_restored() const { return has_restored_; }
  // Registers processes that must end with the tuner.
  Status Watch(pid_t group);
  Status Forget(pid_t group);
  // A lease was begun in the folder.
  Status TakeLease();
  // Blocks until the command is done; does not wait until the service is ready.
  Status Apply(const std::string& content, const std::vector<std::string>& command);
  Status BeginCanary(std::int64_t time, const serving::Objective& limits);
  // Whether it ended early.
  bool HasCanaryEnded() const;
  Status Break(const std::string& why);
  // Waits for the end of the canary.
  Result<GuardAnswer> EndCanary();
  Status Restore();
  Status Keep();

 private:
  class Socket {
   public:
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    ~Socket();
    int get() const { return descriptor_; }

   private:
    int descriptor_;
  };

  Guard(Socket socket, Process process, std::string folder)
      : socket_(std::move(socket)), process_(std::move(process)), folder_(std::move(folder)) {}
  Status Send(const GuardOrder& order);
  Result<GuardAnswer> Receive();
  Status Ask(const GuardOrder& order);
  // The guard is gone: restores from this process what it held.
  Status Lost();

  Socket socket_;
  Process process_;
  std::string folder_;
  std::string received_;
  bool has_restored_ = false;
};

// The guard's side: reads orders from standard input and answers on standard output until the input
// ends. OK if the service is in the state that it should have, otherwise why not.
Status GuardMain(const std::string& folder);

// Restores the old settings of the service whose lease the folder has, also after its tuner and
// guard have gone, and of a lease that was kept. False: it has them already. kNotFound without a
// lease, kBadData while a guard is at work.
Result<bool> RestoreLease(const std::string& folder);

}  // namespace rankscope::tune
