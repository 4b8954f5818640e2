// Preloaded into a program, writes down what of its files would survive a power cut: which bytes
// were synced, and which names. tests/lost_writes.py takes back the rest while the program is dead.
//
//   LOST_WRITES_LOG     the file to write to, a line for each call
//   LOST_WRITES_FOLDER  below which calls count; LOST_WRITES_KEPT, on the same file system, keeps
//                       what names were taken from
//
// Lines: "C INODE" a file was created, "S INODE SIZE" synced, "D FOLDER" a folder synced,
// "R FROM TO NUMBER" renamed (NUMBER: what TO was before, -: nothing), "U PATH NUMBER" removed.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

template <typename Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int Log() {
  static const int kLog = [] {
    const char* path = std::getenv("LOST_WRITES_LOG");
    static const auto open_real = Real<int (*)(const char*, int, ...)>("open");
    return path == nullptr ? -1 : open_real(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }();
  return kLog;
}

void Tell(const std::string& line) {
  if (Log() >= 0 && write(Log(), line.data(), line.size()) < 0) std::abort();
}

// Of files that count; "" of others.
std::string PathOf(int descriptor) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = readlink(link.c_str(), path, sizeof(path));
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
}

bool Counts(const std::string& path) {
  const char* folder = std::getenv("LOST_WRITES_FOLDER");
  return folder != nullptr && path.rfind(folder, 0) == 0;
}

// Keeps what is at `path` under a number.
std::string Keep(const std::string& path) {
  static std::atomic<int> next = 0;
  const std::string number = std::to_string(getpid()) + "-" + std::to_string(next++);
  const std::string kept = std::string(std::getenv("LOST_WRITES_KEPT")) + "/" + number;
  return link(path.c_str(), kept.c_str()) == 0 ? number : "-";
}

void Created(int descriptor) {
  struct stat status {};
  if (descriptor >= 0 && Counts(PathOf(descriptor)) && fstat(descriptor, &status) == 0)
    Tell("C " + std::to_string(status.st_ino) + "\n");
}

void Synced(int descriptor) {
  struct stat status {};
  const std::string path = PathOf(descriptor);
  if (!Counts(path) || fstat(descriptor, &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    Tell("D " + path + "\n");
  } else {
    Tell("S " + std::to_string(status.st_ino) + " " + std::to_string(status.st_size) + "\n");
  }
}

template <typename Open>
int OpenAndTell(const char* name, const char* path, int flags, mode_t mode) {
  static const auto open_real = Real<Open>(name);
  struct stat status {};
  const bool is_new = (flags & O_CREAT) != 0 && Counts(path) && stat(path, &status) != 0;
  const int descriptor = open_real(path, flags, mode);
  if (is_new) Created(descriptor);
  return descriptor;
}

mode_t ModeOf(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return OpenAndTell<int (*)(const char*, int, ...)>("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return OpenAndTell<int (*)(const char*, int, ...)>("open64", path, flags, mode);
}

int mkostemp(char* path, int flags) {
  static const auto kReal = Real<int (*)(char*, int)>("mkostemp");
  const int descriptor = kReal(path, flags);
  Created(descriptor);
  return descriptor;
}

int fsync(int descriptor) {
  static const auto kReal = Real<int (*)(int)>("fsync");
  const int result = kReal(descriptor);
  if (result == 0) Synced(descriptor);
  return result;
}

int fdatasync(int descriptor) {
  static const auto kReal = Real<int (*)(int)>("fdatasync");
  const int result = kReal(descriptor);
  if (result == 0) Synced(descriptor);
  return result;
}

int rename(const char* from, const char* to) noexcept {
  static const auto kReal = Real<int (*)(const char*, const char*)>("rename");
  if (!Counts(to)) return kReal(from, to);
  // Before it happens: who is killed in between has renamed nothing that is not written down.
  Tell("R " + std::string(from) + " " + to + " " + Keep(to) + "\n");
  return kReal(from, to);
}

int unlink(const char* path) noexcept {
  static const auto kReal = Real<int (*)(const char*)>("unlink");
  if (Counts(path)) Tell("U " + std::string(path) + " " + Keep(path) + "\n");
  return kReal(path);
}

}  // extern "C"
