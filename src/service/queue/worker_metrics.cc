#include "service/queue/worker_metrics.h"

#include <sys/resource.h>

#include "service/base/numbers.h"

namespace rankscope::service {
namespace {

constexpr double kBytesOfMaxRss = 1024;

class MetricsPage final : public http::Handler {
 public:
  explicit MetricsPage(std::function<std::string()> text) : text_(std::move(text)) {}

  std::variant<http::Reply, std::unique_ptr<http::Exchange>> Begin(
      const http::Head& head) override {
    if (head.path != "/metrics") return Refuse(404, "there is /metrics, and nothing else");
    if (head.method != "GET") return Refuse(405, "GET alone");
    http::Reply reply;
    reply.fields = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"},
                    {"Cache-Control", "no-store"}};
    reply.body = text_();
    return reply;
  }
  http::Reply Refuse(int status, std::string_view sentence) override {
    return {.status = status,
            .fields = {{"Content-Type", "text/plain; charset=utf-8"}},
            .body = std::string(sentence) + "\n"};
  }
  void OnServed(const http::Served&) override {}

 private:
  const std::function<std::string()> text_;
};

}  // namespace

std::string WorkerMetrics(const WorkerNumbers& numbers) {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help,
                       auto value) { AppendMetric(out, name, type, help, double(value)); };
  add("rankscope_worker_units_running", "gauge", "Runs and shards that are at work here.",
      numbers.running);
  add("rankscope_worker_units_taken_total", "counter", "Runs and shards that were taken.",
      numbers.taken);
  add("rankscope_worker_reports_total", "counter", "Reports that were made here.", numbers.reports);
  add("rankscope_worker_shards_total", "counter", "Shards that were read here.", numbers.shards);
  add("rankscope_worker_attempts_failed_total", "counter", "Attempts that failed here.",
      numbers.attempts_failed);
  add("rankscope_worker_read_bytes_total", "counter",
      "Bytes of files, as stored, of which reports and shards were made.", numbers.read_bytes);
  add("rankscope_worker_busy_seconds_total", "counter", "Time of units, however they ended.",
      numbers.busy_seconds);
  add("rankscope_worker_renewals_failed_total", "counter",
      "Requests for another lease that went wrong.", numbers.renewals_failed);
  add("rankscope_worker_leases_lost_total", "counter",
      "Units that others could take while they were at work here.", numbers.leases_lost);
  rusage usage{};
  if (getrusage(RUSAGE_CHILDREN, &usage) == 0) {
    add("rankscope_worker_child_peak_bytes", "gauge", "Memory of the largest child so far.",
        static_cast<double>(usage.ru_maxrss) * kBytesOfMaxRss);
  }
  return out;
}

std::unique_ptr<http::Handler> MakeMetricsPage(std::function<std::string()> text) {
  return std::make_unique<MetricsPage>(std::move(text));
}

}  // namespace rankscope::service
