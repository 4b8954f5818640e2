// Guard: a process beside the tuner that alone changes a service, and puts its old settings back
// when the tuner ends, however it ends, or when the service fails in its canary.
//
// They are joined by a pair of sockets, and an end of the tuner is an end of its socket: no time
// has to pass. The guard has a session of its own, so that a terminal that closes does not end it.
// Where the guard itself is killed, the tuner puts the service back; where both are, whoever tunes
// next (or `rankscope tune --restore`) does, by the lease that lies on disk.
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
  // `command` runs GuardMain for `folder`, where its log goes. kBadData where another tuner is at
  // work there. What a dead tuner has left is put back first: `has_restored`.
  static Result<Guard> Start(const std::vector<std::string>& command, const std::string& folder);
  Guard(Guard&&) noexcept = default;
  // What is held is put back.
  ~Guard();

  bool has_restored() const { return has_restored_; }
  // Processes that are ended when the tuner is.
  Status Watch(pid_t group);
  Status Forget(pid_t group);
  // A lease was begun in the folder.
  Status TakeLease();
  // Blocks until the command is done; not until the service is ready.
  Status Apply(const std::string& content, const std::vector<std::string>& command);
  Status BeginCanary(std::int64_t time, const serving::Objective& limits);
  // It has ended early.
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
  // The guard is gone: what it held is put back from here.
  Status Lost();

  Socket socket_;
  Process process_;
  std::string folder_;
  std::string received_;
  bool has_restored_ = false;
};

// The guard's own side: reads orders from standard input and answers on standard output until the
// input ends. Returns when everything is as it should be, or says why not.
Status GuardMain(const std::string& folder);

}  // namespace rankscope::tune
