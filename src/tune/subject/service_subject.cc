#include <fmt/format.h>

#include <deque>
#include <fstream>

#include "tune/subject/ready.h"
#include "tune/subject/subject.h"

namespace rankscope::tune {
namespace {

class ServiceSubject final : public Subject {
 public:
  ServiceSubject(SubjectSpec spec, Guard& guard)
      : spec_(std::move(spec)), service_(*spec_.adapter.service), guard_(guard) {}

  Result<std::string> Start(const Point& point, const std::string&) override {
    RS_ASSIGN_OR_RETURN(const std::string content,
                        FillText(spec_.adapter, point, spec_.filling, service_.content));
    RS_ASSIGN_OR_RETURN(const auto command,
                        FillWords(spec_.adapter, point, spec_.filling, service_.apply));
    const Status applied = guard_.Apply(content, command);
    if (applied.code() == StatusCode::kIo) return applied;
    if (!applied.ok()) return applied.message();
    return WaitReady(
        {.url = service_.url, .path = service_.ready.path, .client = spec_.client},
        std::chrono::seconds(service_.ready.within_s), [] { return std::string(); },
        spec_.is_stopped);
  }

  std::string Death() override {
    return WhyNotReady({.url = service_.url, .path = service_.ready.path, .client = spec_.client});
  }

  const std::string& url() const override { return service_.url; }

 private:
  const SubjectSpec spec_;
  const Service& service_;
  Guard& guard_;
};

}  // namespace

std::unique_ptr<Subject> MakeServiceSubject(SubjectSpec spec, Guard& guard) {
  return std::make_unique<ServiceSubject>(std::move(spec), guard);
}

std::string LastLines(const std::string& path, std::size_t lines) {
  std::ifstream file(path);
  std::deque<std::string> last;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    last.push_back(std::move(line));
    if (last.size() > lines) last.pop_front();
  }
  std::string text;
  for (const std::string& line : last) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace rankscope::tune
