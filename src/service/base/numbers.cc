#include "service/base/numbers.h"

#include <fmt/core.h>

#include "base/prometheus_label.h"

namespace rankscope::service {
namespace {

double Seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

void AppendHead(std::string& out, std::string_view name, std::string_view type,
                std::string_view help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

void AppendMetric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help, double value) {
  AppendHead(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

void AppendMetrics(std::string& out, std::string_view name, std::string_view type,
                   std::string_view help, std::string_view label,
                   const std::vector<std::pair<std::string, double>>& values) {
  AppendHead(out, name, type, help);
  for (const auto& [text, value] : values)
    out += fmt::format("{}{{{}=\"{}\"}} {}\n", name, label, EscapedLabel(text), value);
}

void Numbers::Count(std::string_view route, const http::Served& served) {
  const std::scoped_lock lock(mutex_);
  auto found = routes_.find(route);
  if (found == routes_.end()) found = routes_.emplace(std::string(route), OfRoute{}).first;
  OfRoute& numbers = found->second;
  ++numbers.by_status[served.status];
  std::size_t bucket = 0;
  while (bucket < kEnds.size() && served.duration_ns > kEnds[bucket]) ++bucket;
  ++numbers.buckets[bucket];
  numbers.sum_ns += served.duration_ns;
  received_bytes_ += served.received_bytes;
  sent_bytes_ += served.sent_bytes;
  beyond_limits_ += served.status == 429 ? 1 : 0;
  without_disk_ += served.status == 507 ? 1 : 0;
  damaged_ += served.note.starts_with(kDamagedNote) ? 1 : 0;
}

std::string Numbers::Text() const {
  const std::scoped_lock lock(mutex_);
  std::string out;
  AppendHead(out, "rankscope_http_requests_total", "counter", "Requests, by route and status.");
  for (const auto& [route, numbers] : routes_) {
    for (const auto& [status, count] : numbers.by_status) {
      out += fmt::format("rankscope_http_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", route,
                         status, count);
    }
  }
  AppendHead(out, "rankscope_http_request_seconds", "histogram",
             "From the end of a request's head to the end of its reply.");
  for (const auto& [route, numbers] : routes_) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < numbers.buckets.size(); ++i) {
      count += numbers.buckets[i];
      const std::string end = i < kEnds.size() ? fmt::format("{}", Seconds(kEnds[i])) : "+Inf";
      out += fmt::format("rankscope_http_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n",
                         route, end, count);
    }
    out += fmt::format("rankscope_http_request_seconds_sum{{route=\"{}\"}} {}\n", route,
                       Seconds(numbers.sum_ns));
    out += fmt::format("rankscope_http_request_seconds_count{{route=\"{}\"}} {}\n", route, count);
  }
  AppendMetric(out, "rankscope_http_received_bytes_total", "counter", "Bytes of bodies that came.",
               static_cast<double>(received_bytes_));
  AppendMetric(out, "rankscope_http_sent_bytes_total", "counter", "Bytes that were sent.",
               static_cast<double>(sent_bytes_));
  AppendMetrics(
      out, "rankscope_admissions_refused_total", "counter",
      "Requests for which there was no room: 429 beyond a limit, 507 on a full disk.", "status",
      {{"429", static_cast<double>(beyond_limits_)}, {"507", static_cast<double>(without_disk_)}});
  AppendMetric(out, "rankscope_damage_met_total", "counter",
               "Requests that were not answered, or not to the end, since what the store keeps is "
               "damaged: the log names it.",
               static_cast<double>(damaged_));
  return out;
}

}  // namespace rankscope::service
