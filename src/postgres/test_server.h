// A private PostgreSQL server, only for tests: the real server in a temporary folder, reachable
// only by a Unix socket, with fsync on. A test that needs it, or libpq, begins with
// RS_NEEDS_POSTGRES().
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/until.h"
#include "postgres/connection.h"
#include "postgres/library.h"

// Skips a test if PostgreSQL is not installed, with a sentence that says what to install. Use it in
// a test or its SetUp, before anything opens a database. The complete test (./dev test) sets
// RANKSCOPE_WHOLE_TEST: then the test fails instead, so that no test is skipped unnoticed.
#define RS_NEEDS_POSTGRES()                                                       \
  do {                                                                            \
    const std::string missing = rankscope::postgres::TestServer::WhatIsMissing(); \
    if (missing.empty()) break;                                                   \
    if (std::getenv("RANKSCOPE_WHOLE_TEST") != nullptr) FAIL() << missing;        \
    GTEST_SKIP() << missing;                                                      \
  } while (false)

namespace rankscope::postgres {

class TestServer {
 public:
  // A sentence; "" if the server and its client library are installed.
  static std::string WhatIsMissing() {
    const auto library = LoadLibrary();
    if (!library.ok()) return library.status().message();
    if (Program("initdb").empty())
      return "PostgreSQL is not installed (Debian and Ubuntu: apt-get install postgresql)";
    return "";
  }
  // One server for all tests of a process.
  static TestServer& Get() {
    static TestServer server;
    return server;
  }

  TestServer() {
    namespace fs = std::filesystem;
    std::string name = "/tmp/rankscope_pg_XXXXXX";  // short, since socket paths have a length limit
    folder_ = mkdtemp(name.data());
    // PostgreSQL refuses to run as root.
    if (geteuid() == 0) {
      const passwd* user = getpwnam("nobody");
      RS_CHECK(user != nullptr, "there is no user nobody");
      user_ = user->pw_uid;
      group_ = user->pw_gid;
      RS_CHECK(chown(folder_.c_str(), user_, group_) == 0, "chown");
    }
    Wait(Start({Program("initdb"), "-D", folder_ + "/data", "-U", "rankscope", "-A", "trust", "-E",
                "UTF8", "--locale=C", "--no-sync"}));
    StartServer();
  }
  ~TestServer() {
    Stop(SIGQUIT);
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  // postgresql://rankscope@/NAME?host=FOLDER
  std::string Address(const std::string& database) const {
    return "postgresql://rankscope@/" + database + "?host=" + folder_;
  }
  // The address of a new database.
  std::string NewDatabase() {
    static std::atomic<int> next = 0;
    const std::string name = "test" + std::to_string(next++);
    const auto connection = Connection::Open(Address("postgres"), {});
    RS_CHECK(connection.ok(), "{}", connection.status().message());
    const auto made = (*connection)->Script(("CREATE DATABASE " + name).c_str());
    RS_CHECK(made.ok(), "{}", made.status().message());
    return Address(name);
  }
  // Kills the server and all of its processes (kill -9), and starts it again.
  void Crash() {
    Stop(SIGKILL);
    StartServer();
  }
  void Stop(int signal) {
    if (server_ <= 0) return;
    kill(server_, signal);
    // The other processes end when they notice that it has ended.
    waitpid(server_, nullptr, 0);
    server_ = -1;
  }
  void StartServer() {
    // Remains of a killed server: its lock of the folder, and processes that are about to end.
    server_ = -1;
    RS_CHECK(Until([&] {
               if (server_ > 0 && waitpid(server_, nullptr, WNOHANG) == server_) server_ = -1;
               if (server_ < 0) {
                 server_ = Start({Program("postgres"), "-D", folder_ + "/data", "-k", folder_, "-c",
                                  "listen_addresses=", "-c", "max_connections=200", "-c",
                                  "shared_buffers=16MB", "-c", "fsync=on"});
               }
               return Connection::Open(Address("postgres"), {}).ok();
             }),
             "PostgreSQL does not start");
  }

 private:
  // From the newest installed version, otherwise from PATH; "" if there is none.
  static std::string Program(const std::string& name) {
    for (int version = 30; version >= 13; --version) {
      const std::string path = "/usr/lib/postgresql/" + std::to_string(version) + "/bin/" + name;
      if (access(path.c_str(), X_OK) == 0) return path;
    }
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
    }
    return "";
  }

  pid_t Start(const std::vector<std::string>& words) const {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const std::string log = folder_ + "/log";
    const pid_t pid = fork();
    if (pid != 0) return pid;
    if (user_ != 0 && (setgroups(0, nullptr) != 0 || setgid(group_) != 0 || setuid(user_) != 0))
      _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);  // not preserved when the user changes
    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(file, 1);
    dup2(file, 2);
    if (chdir(folder_.c_str()) != 0) _exit(126);
    unsetenv("LD_PRELOAD");
    execvp(argv[0], argv.data());
    _exit(127);
  }
  void Wait(pid_t pid) const {
    int status = 0;
    waitpid(pid, &status, 0);
    const auto log = ReadFile(folder_ + "/log");
    RS_CHECK(status == 0, "initdb does not run: {}", log.ok() ? *log : "");
  }

  std::string folder_;
  uid_t user_ = 0;
  gid_t group_ = 0;
  pid_t server_ = -1;
};

}  // namespace rankscope::postgres
