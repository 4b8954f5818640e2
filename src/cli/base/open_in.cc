#include "cli/base/open_in.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>

#include "app/report_of.h"
#include "base/shell_words.h"
#include "cli/base/interrupt.h"
#include "cli/base/listener.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "http/server.h"
#include "http/url.h"
#include "report/html/html_report.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPerfetto = "https://ui.perfetto.dev";
constexpr std::uint16_t kPerfettoPort = 9001;

// Empty: there is none.
std::string Browser() {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (is_set("BROWSER")) return std::getenv("BROWSER");
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") ? "xdg-open" : "";
}

// False: none could be started.
bool ShowInBrowser(const std::string& address) {
  std::string browser = Browser();
  if (browser.empty()) return false;
  std::string argument = address;
  char* const words[] = {browser.data(), argument.data(), nullptr};
  pid_t pid = 0;
  if (posix_spawnp(&pid, browser.c_str(), nullptr, nullptr, words, environ) != 0) return false;
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Status ShowOpenIn(const std::string& address) {
  return ShowInBrowser(address) ? OkStatus() : WriteOutput("", address + "\n");
}

// Gives one file, to Perfetto's site alone.
class OneTrace : public http::Handler {
 public:
  OneTrace(std::string path, std::string name, std::uint64_t bytes)
      : path_(std::move(path)), name_(std::move(name)), bytes_(bytes) {}

  bool was_fetched() const { return was_fetched_; }

  std::variant<http::Reply, std::unique_ptr<http::Exchange>> Begin(
      const http::Head& head) override {
    const http::Fields fields = {{"Access-Control-Allow-Origin", std::string(kPerfetto)},
                                 // Browsers ask before a site may reach this host.
                                 {"Access-Control-Allow-Private-Network", "true"},
                                 {"Cache-Control", "no-store"}};
    if (head.method == "OPTIONS") return http::Reply{.status = 204, .fields = fields, .body = {}};
    if (head.method != "GET" || head.path != "/" + name_) return Refuse(404, "there is one file");
    // It was fetched when the last piece is sent.
    const std::shared_ptr<void> sent(this, [](OneTrace* self) { self->was_fetched_ = true; });
    return http::Reply{
        .status = 200,
        .fields = fields,
        .body = http::FilePart{.path = path_, .offset = 0, .bytes = bytes_, .keep = sent}};
  }
  http::Reply Refuse(int status, std::string_view sentence) override {
    return {.status = status, .fields = {}, .body = std::string(sentence) + "\n"};
  }
  void OnServed(const http::Served&) override {}

 private:
  const std::string path_;
  const std::string name_;
  const std::uint64_t bytes_;
  std::atomic<bool> was_fetched_ = false;
};

}  // namespace

void OpenArgument::AddTo(CommandSpec& app) {
  app.AddOption("--open", what_,
                "then show it: in ui.perfetto.dev, which fetches it from this host and sends it "
                "nowhere, or as rankscope's page; prints the address where there is no browser")
      .OneOf({"perfetto", "page"});
}

Result<std::string> NameForPage() {
  std::error_code ignored;
  std::string folder = (fs::temp_directory_path(ignored) / "rankscope-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    return Error(StatusCode::kIo, "{}: {}; name a file with -o", folder, std::strerror(errno));
  return folder + "/report.html";
}

Status OpenTrace(const OpenArgument& where, const std::string& path) {
  if (where.is_perfetto()) return OpenInPerfetto(path);
  if (!where.is_page()) return OkStatus();
  TerminalListener listener;
  app::JobSpec spec{.paths = {path}, .called = ShellWord(path)};
  spec.cache = app::CacheOfEnvironment();
  RS_ASSIGN_OR_RETURN(const app::JobReport made,
                      app::ReportOf(spec, app::ReportUse::kPage, listener));
  RS_ASSIGN_OR_RETURN(const std::string page, NameForPage());
  RS_RETURN_IF_ERROR(WriteOutput(page, WriteHtmlReport(made.report)));
  return OpenPage(page);
}

Status OpenPage(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return ShowOpenIn("file://" + http::PercentEncoded(whole.string(), true));
}

Status OpenInPerfetto(const std::string& path) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error) return Error(StatusCode::kIo, "{}: {}", path, error.message());
  const std::string name = fs::path(path).filename().string();
  OneTrace trace(path, name, bytes);
  http::ServerOptions options;
  options.port = kPerfettoPort;
  const auto server = http::Server::Start(options, trace);
  if (!server.ok())
    return Error(StatusCode::kIo,
                 "{}; ui.perfetto.dev may fetch from no other port: end what listens there, or "
                 "open {} in it by hand",
                 server.status().message(), path);
  const InterruptFlag interrupted;
  RS_RETURN_IF_ERROR(ShowOpenIn(fmt::format("{}/#!/?url=http://127.0.0.1:{}/{}", kPerfetto,
                                            kPerfettoPort, http::PercentEncoded(name))));
  Tell("waiting until ui.perfetto.dev has fetched the trace; Ctrl-C ends that");
  while (!trace.was_fetched() && !interrupted.IsSet())
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return OkStatus();
}

}  // namespace rankscope::cli
