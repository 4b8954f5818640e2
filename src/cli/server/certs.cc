// `rankscope certs`: certificates for a server and its agents, by an authority of one's own.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "certs/authority.h"
#include "cli/base/command.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"

namespace rankscope::cli {
namespace {

using certs::Certified;

struct CertsArguments {
  std::string folder;
  std::vector<std::string> server_names;
  std::vector<std::string> agents;
  std::string team;
  std::int64_t days = 825;  // the longest that browsers take
};
constexpr std::int64_t kAuthorityDays = 3650;

// A key is its owner's alone. What is there already is never replaced: somebody may rely on it.
Status WriteNew(const std::string& path, const std::string& text, mode_t mode) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0 && errno == EEXIST)
    return Error(StatusCode::kInvalidArgument, "{}: is there already; move it away to make another",
                 path);
  const bool is_written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fsync(file) == 0;
  const Status status =
      is_written ? OkStatus()
                 : Error(StatusCode::kIo, "{}: cannot write: {}", path, std::strerror(errno));
  if (file >= 0) close(file);
  return status;
}

Status WriteBoth(const std::string& path, const Certified& made) {
  RS_RETURN_IF_ERROR(WriteNew(path + ".key", made.key, 0600));
  RS_RETURN_IF_ERROR(WriteNew(path + ".crt", made.certificate, 0644));
  return WriteOutput("", path + ".crt\n" + path + ".key\n");
}

// That of the folder, made when it has none.
Result<Certified> AuthorityIn(const std::string& folder) {
  const std::string path = folder + "/ca";
  std::error_code error;
  if (std::filesystem::exists(path + ".key", error)) {
    Certified authority;
    RS_ASSIGN_OR_RETURN(authority.certificate, ReadFile(path + ".crt"));
    RS_ASSIGN_OR_RETURN(authority.key, ReadFile(path + ".key"));
    return authority;
  }
  std::filesystem::create_directories(folder, error);
  RS_ASSIGN_OR_RETURN(Certified authority, certs::MakeAuthority(kAuthorityDays));
  RS_RETURN_IF_ERROR(WriteBoth(path, authority));
  return authority;
}

Status RunCerts(const CertsArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const Certified authority, AuthorityIn(arguments.folder));
  if (!arguments.server_names.empty()) {
    RS_ASSIGN_OR_RETURN(const Certified server,
                        certs::IssueForServer(authority, arguments.server_names, arguments.days));
    RS_RETURN_IF_ERROR(WriteBoth(arguments.folder + "/server", server));
  }
  for (const std::string& name : arguments.agents) {
    RS_ASSIGN_OR_RETURN(const Certified agent,
                        certs::IssueForAgent(authority, name, arguments.team, arguments.days));
    RS_RETURN_IF_ERROR(WriteBoth(arguments.folder + "/" + name, agent));
  }
  return OkStatus();
}

}  // namespace

void AddCerts(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("certs", "make certificates for a server and its agents (mutual TLS)");
  auto arguments = std::make_shared<CertsArguments>();
  command
      .AddOption("FOLDER", arguments->folder,
                 "where they go; its ca.crt and ca.key sign all, and are made when missing")
      .Type(kFolderType)
      .Required();
  command
      .AddOption("--server-name", arguments->server_names,
                 "makes server.crt for a server of that name or address; repeatable")
      .OneEach();
  command
      .AddOption("--agent", arguments->agents,
                 "makes NAME.crt for the agent of that host; repeatable")
      .OneEach();
  command.AddOption("--team", arguments->team, "whose runs these agents make; all see them else");
  command.AddOption("--days", arguments->days, "that they are good for")
      .Range(1, 36'500)
      .ShowDefault();
  command.Footer(
      "Example:\n  rankscope certs certs/ --server-name train.example --agent node1 --agent node2\n"
      "  rankscope serve --data runs/ --listen 0.0.0.0:8723 --tls-cert certs/server.crt "
      "--tls-key certs/server.key --tls-client-ca certs/ca.crt --token-file tokens\n"
      "  rankscope-agent --server.url https://train.example:8723 --server.ca_file certs/ca.crt "
      "--server.cert_file certs/node1.crt --server.key_file certs/node1.key");
  command.SetRun(MakeAction([arguments] { return RunCerts(*arguments); }));
}

}  // namespace rankscope::cli
