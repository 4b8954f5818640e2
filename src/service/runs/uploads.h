// Files being uploaded: whole ones, and those that arrive in parts over any time.
//
// A part is durable when it is acknowledged: FOLDER/RUN/HASH.part holds the received data of a
// file, with HASH of the file's name. When all data has arrived, it becomes a content of the store.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "store/blobs.h"

namespace rankscope::service {

// Safe for many threads. Its folder is its own, or shared with other servers. Then `lock_file`
// names a file common to all of them, in which each file being written has its own byte, locked by
// its writer. The kernel releases the lock when its process ends, also on network file systems.
class Uploads {
 public:
  Uploads(std::string folder, store::Blobs& blobs, std::string lock_file = "")
      : folder_(std::move(folder)), blobs_(blobs), lock_file_(std::move(lock_file)) {}

  // One writer at a time of a file of a run; the lock ends with the object.
  class Writer {
   public:
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

   private:
    friend class Uploads;
    Writer(Uploads& uploads, std::pair<std::string, std::string> key)
        : uploads_(uploads), key_(std::move(key)) {}
    Uploads& uploads_;
    std::pair<std::string, std::string> key_;
    int lock_ = -1;  // of the file that servers share
  };
  // nullptr while another writer has the file.
  std::unique_ptr<Writer> Lock(const std::string& run, const std::string& name);

  // Bytes received of a file in parts; 0 if none.
  std::uint64_t Offset(const std::string& run, const std::string& name) const;

  // The following functions need the file's Writer.
  class Part {
   public:
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    // kResource when the disk is full.
    Status Write(std::string_view bytes);
    // Makes it durable and returns the bytes of the file received so far.
    Result<std::uint64_t> Keep();

   private:
    friend class Uploads;
    Part(std::string path, int descriptor, std::uint64_t offset)
        : path_(std::move(path)), descriptor_(descriptor), offset_(offset) {}
    std::string path_;
    int descriptor_;
    std::uint64_t offset_;
  };
  // To be written at Offset().
  Result<std::unique_ptr<Part>> Append(const std::string& run, const std::string& name);
  // For a complete file: makes it a content of the store; the part stays until Forget.
  Result<store::BlobInfo> Complete(const std::string& run, const std::string& name);
  // Removes the received data of a file, or of all files of a run.
  void Forget(const std::string& run, const std::string& name);
  void ForgetRun(const std::string& run);

 private:
  std::string PathOf(const std::string& run, const std::string& name) const;

  std::string folder_;
  // False while another process writes the file; `descriptor` holds the lock.
  bool LockAmongServers(const std::string& run, const std::string& name, int& descriptor) const;

  store::Blobs& blobs_;
  const std::string lock_file_;
  std::mutex making_;  // held while a run's folder is made and synced
  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> writing_;
};

}  // namespace rankscope::service
