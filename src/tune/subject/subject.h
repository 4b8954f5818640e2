// The subject of tuning, as trials see it: it takes settings, and then requests.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "tune/adapter/fill.h"
#include "tune/subject/guard.h"

namespace rankscope::tune {

class Subject {
 public:
  virtual ~Subject() = default;
  // "" if it accepts requests with these settings, otherwise why it never will, which is a result
  // too. An error means that nothing could be tried.
  virtual Result<std::string> Start(const Point& point, const std::string& log) = 0;
  // "": it lives; otherwise how it ended.
  virtual std::string Death() = 0;
  virtual const std::string& url() const = 0;
};

struct SubjectSpec {
  const Adapter& adapter;
  Filling filling;
  http::ClientOptions client;
  std::function<bool()> is_stopped;
};

// A server started for the trials: its processes end with this object, and with the tuner.
Result<std::unique_ptr<Subject>> MakeTrialSubject(SubjectSpec spec, Guard& guard);
// The service itself; the guard holds its lease.
std::unique_ptr<Subject> MakeServiceSubject(SubjectSpec spec, Guard& guard);

// The last lines of a log, for humans.
std::string LastLines(const std::string& path, std::size_t lines);

}  // namespace rankscope::tune
