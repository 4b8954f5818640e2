// Server: what programs ask of the HTTP API of `rankscope serve` (docs/server.md), a function for
// each request. Records are typed (src/api); answers that are passed on as they are (reports, rows)
// are JSON.
//
//   RS_ASSIGN_OR_RETURN(Server server, Server::Connect({.url = "http://127.0.0.1:8723"}));
//   RS_ASSIGN_OR_RETURN(const RunStatus run, server.Run("0123456789abcdef"));
//
// Every function blocks until the reply arrives. A refusal is an error with the server's message
// (server_error.h); a reply that does not fit the API is kBadData. One connection: not for several
// threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/again.h"
#include "api/run.h"
#include "api/upload.h"
#include "base/status.h"
#include "capture/job_capture.h"
#include "client/patient_client.h"
#include "client/wait.h"
#include "http/client.h"
#include "store/run.h"

namespace rankscope::client {

// Address and credentials for a server.
struct ServerAccess {
  std::string url;               // "http://127.0.0.1:8723"
  std::string token;             // "": none
  std::string ca_file;           // trusted certificates in addition to the system's, PEM
  std::string certificate_file;  // used in place of a token, PEM; both or none
  std::string key_file;
  std::chrono::seconds time{60};  // for a reply
};

// Selection of rows of a run's table, in the API's syntax (docs/server.md).
struct RowsQuestion {
  std::string table;
  std::vector<std::string> filter;  // "rank=3"
  std::vector<std::string> sort;    // "-total_ns"
  std::vector<std::string> columns;
  std::int64_t limit = 1000;
  std::map<std::string, std::string> settings = {};
};

struct RunStatus {
  std::string id;
  store::RunState state = store::RunState::kUploading;
  std::string reason;       // of kFailed
  std::string headline;     // of the report, of kReady; may be ""
  std::uint64_t files = 0;  // that have arrived completely
  std::string name = {};
};

// How much of a file has arrived.
struct StoredFile {
  std::uint64_t bytes = 0;
  bool is_complete = false;
};

// Part of a local file.
struct FileRange {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool is_last = false;
};

struct SentPart {
  bool has_arrived =
      false;  // otherwise it was interrupted, or its offset is not the end of the server's file
  // Hash of the server's whole file, after the last part, if the server reports it.
  std::optional<std::string> sha256;
};

// A capture that the server leads (capture/job_capture.h).
struct CaptureStatus {
  capture::Phase phase = capture::Phase::kAsking;
  std::uint64_t asked = 0;    // processes
  std::uint64_t written = 0;  // files
  std::uint64_t arrived = 0;  // of them, those that the run has
  std::size_t hosts = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> missing;
  std::string reason;  // of failing
  std::string run;     // its id
};

class Server {
 public:
  // Connects when the first request is sent.
  static Result<Server> Connect(const ServerAccess& access);
  // Over any transport; `url` is the address of the pages.
  Server(std::shared_ptr<http::Client> http, std::string url);
  // Retries requests with `wait`, see patient_client.h.
  void BePatient(Wait& wait, Patience patience);

  // The page of a run.
  std::string PageOf(std::string_view run) const;

  // A new run with the names and tags of `run`; if an earlier run has this key, that run.
  Result<RunStatus> MakeRun(const store::Run& run, std::string_view key = "");
  Result<RunStatus> Run(const std::string& id);
  // Files that have arrived whole.
  Result<std::vector<store::RunFile>> Files(const std::string& run);
  // All files have arrived: requests the analysis.
  Status FinishRun(const std::string& run);
  // Makes it accept files again; kInvalidArgument while it is analysed.
  Status ReopenRun(const std::string& run);
  Status RemoveRun(const std::string& run);

  // Sends the whole file at `path`. False if it was interrupted; kBadData if the received bytes do
  // not match `file`. `progress` gets the sent bytes; if it returns false, the result is
  // kCancelled.
  Result<bool> SendFile(const std::string& run, const store::RunFile& file, const std::string& path,
                        const std::function<bool(std::uint64_t sent)>& progress);
  // The address for putting the file directly into the content storage (api/upload.h). nullopt if
  // this is not possible: contents are in a folder, the file is too large, or the server is older.
  Result<std::optional<api::UploadAddress>> AddressFor(const std::string& run,
                                                       const store::RunFile& file);
  // Reports a file as put there; if true, it is now a file of the run. False while another client
  // sends it, or if the answer was interrupted: call it again. kBadData if the bytes do not match
  // `file`, kNotFound if nothing arrived.
  Result<bool> TakeSent(const std::string& run, const store::RunFile& file,
                        const std::string& path);
  Result<StoredFile> Stored(const std::string& run, const std::string& file);
  // Sends a part. `progress` gets the sent bytes; if it returns false, the result is kCancelled.
  Result<SentPart> SendPart(const std::string& run, const std::string& file, const FileRange& part,
                            const std::function<bool(std::uint64_t sent)>& progress);

  // The newest ready run. kNotFound if there is none.
  Result<RunStatus> NewestRun();

  // Stored and computed results of a run, as JSON: the report (rankscope.report/1), a table with
  // "row_count", a table, a table, the comparison of two runs (rankscope.diff/1).
  Result<std::string> Report(const std::string& run);
  Result<std::string> Rows(const std::string& run, const RowsQuestion& question);
  Result<std::string> Query(const std::string& run, const std::string& sql);
  Result<std::string> WhatIf(const std::string& run, const std::vector<std::string>& changes);
  Result<std::string> Diff(const std::string& base, const std::string& test);
  // rankscope.fix/1 of the run's code; `finding` "": for all findings.
  Result<std::string> Patch(const std::string& run, const std::string& finding);

  // Stores the measured gain of a change for a finding on the server.
  Status KeepGain(const api::NewMeasuredGain& gain);

  // Starts a capture and returns its id.
  Result<std::string> StartCapture(const capture::CaptureRequest& request);
  Result<CaptureStatus> Capture(const std::string& id);
  Status CancelCapture(const std::string& id);

 private:
  Result<http::ClientReply> Ask(http::ClientRequest request);
  Result<http::ClientReply> Ask(const std::string& method, const std::string& target);
  Result<std::string> BodyOf(const std::string& method, const std::string& target,
                             std::string_view body = "");
  Result<RunStatus> ReadRun(std::string_view json) const;
  Result<RunStatus> StatusOf(const api::Run& shown) const;
  Status NotOurs() const;

  std::shared_ptr<http::Client> http_;
  std::string url_;
};

}  // namespace rankscope::client
