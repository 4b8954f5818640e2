// Launches: jobs that people start from the page of a run by the operator's program (launcher.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"
#include "service/base/wall_clock.h"
#include "service/processes/launcher.h"
#include "service/requests/route.h"
#include "service/requests/waiting_work.h"
#include "service/runs/parts.h"
#include "store/run.h"

namespace rankscope::service {

// Reports acts outside this server to its operator: an event and a sentence.
using LaunchLog = std::function<void(std::string_view event, std::string_view sentence)>;

class Launches {
 public:
  struct With {
    Parts& parts;
    const LauncherConfig& config;  // without words where there is none
    std::string folder;            // its own
    WaitingWork& work;
    const LaunchLog& log;
    const WallClock& now_s;
    std::string option;  // "--launcher": what an operator sets to have it
  };
  explicit Launches(With with);
  ~Launches();

  // Whether there is a program and the caller may use it: an admin, or the run's user.
  bool CanLaunch(const Principal& who, const store::Run& run) const;

  // Starts it for the run and answers with its output or the reason for refusal: 404 without a
  // program, 403 to others, 409 while the same order is under way. `what` ("Run again for
  // slow-gpu") begins the run's note, and `about` the line of the log.
  http::Reply Start(const store::Run& run, LaunchOrder order, const std::string& what,
                    const std::string& about, const Call& call) const;

 private:
  class UnderWay;
  With with_;
  std::shared_ptr<UnderWay> under_way_;
};

}  // namespace rankscope::service
