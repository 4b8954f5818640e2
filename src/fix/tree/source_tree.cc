#include "fix/tree/source_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/utf8.h"
#include "fix/tree/git.h"

namespace rankscope::fix {
namespace {

bool IsPython(std::string_view path) { return path.ends_with(".py"); }

bool IsFolder(const std::string& path) {
  struct stat state;
  return lstat(path.c_str(), &state) == 0 && S_ISDIR(state.st_mode);
}

// Folders below `folder`, one after the other and never through a link.
class Walk {
 public:
  Walk(const std::string& folder, const TreeBounds& bounds) : folder_(folder), bounds_(bounds) {}

  std::vector<std::string> Files() {
    std::vector<std::string> waiting = {""};
    while (!waiting.empty() && entries_ < bounds_.most_entries) {
      const std::string below = std::move(waiting.back());
      waiting.pop_back();
      Look(below, waiting);
    }
    std::ranges::sort(files_);
    return std::move(files_);
  }

 private:
  void Look(const std::string& below, std::vector<std::string>& waiting) {
    const std::string path = folder_ + "/" + below;
    if (!below.empty() && access((path + "pyvenv.cfg").c_str(), F_OK) == 0) return;
    const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(path.c_str()), closedir);
    if (open == nullptr) return;
    while (const dirent* entry = readdir(open.get())) {
      if (++entries_ >= bounds_.most_entries) return;
      const std::string_view name = entry->d_name;
      if (name.starts_with('.') || name == "__pycache__" || name == "node_modules") continue;
      const std::string found = below + std::string(name);
      if (IsFolder(folder_ + "/" + found))
        waiting.push_back(found + "/");
      else if (IsPython(name))
        files_.push_back(found);
    }
  }

  const std::string& folder_;
  const TreeBounds& bounds_;
  std::vector<std::string> files_;
  std::size_t entries_ = 0;
};

// A component on the way may be a link that somebody put there: each is opened for itself.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// The file's descriptor, by no link below the folder; below 0: errno says why.
int OpenBelow(const std::string& folder, std::string_view path) {
  int at = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (at >= 0) {
    const Descriptor parent(at);
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, slash));
    if (slash == std::string_view::npos)
      return openat(parent.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    at = openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    path.remove_prefix(slash + 1);
  }
  return at;
}

struct FileRead {
  std::string text;
  mode_t mode = 0;
};

// kNotFound for what is no regular file or lies behind a link: no file of this tree.
Result<FileRead> ReadBelow(const std::string& folder, const std::string& path, std::size_t most) {
  const Descriptor file(OpenBelow(folder, path));
  if (file.get() < 0 && (errno == ELOOP || errno == ENOENT || errno == ENOTDIR))
    return Error(StatusCode::kNotFound, "it is a link, or is not there");
  if (file.get() < 0)
    return Error(StatusCode::kIo, "it cannot be opened: {}", std::strerror(errno));
  struct stat state;
  if (fstat(file.get(), &state) != 0 || !S_ISREG(state.st_mode))
    return Error(StatusCode::kNotFound, "it is no file");
  FileRead content{.text = {}, .mode = state.st_mode & 07777U};
  char part[1 << 16];
  for (;;) {
    const ssize_t count = read(file.get(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error(StatusCode::kIo, "it cannot be read: {}", std::strerror(errno));
    if (count == 0) return content;
    content.text.append(part, static_cast<std::size_t>(count));
    if (content.text.size() > most)
      return Error(StatusCode::kResource, "it has over {} kB", most >> 10U);
  }
}

Left Unread(const std::string& path, std::string_view why) {
  return {.file = path, .line = 0, .finding = {}, .why = fmt::format("not looked at: {}", why)};
}

void ReadInto(SourceTree& tree, const std::vector<std::string>& paths, const TreeBounds& bounds) {
  std::size_t bytes = 0;
  for (const std::string& path : paths) {
    if (!IsPython(path)) continue;
    if (!IsPlainName(path)) {
      tree.unread.push_back(Unread("", "a file whose name has quotes, controls or is not UTF-8"));
      continue;
    }
    if (tree.files.size() >= bounds.most_files || bytes > bounds.most_bytes) {
      tree.unread.push_back(
          Unread(path, "there are too many files: name the folder of the program with --source"));
      return;
    }
    Result<FileRead> read = ReadBelow(tree.folder, path, bounds.most_file_bytes);
    if (read.ok()) {
      bytes += read->text.size();
      tree.files.push_back({.path = path, .text = std::move(read->text)});
    } else if (read.status().code() != StatusCode::kNotFound) {
      tree.unread.push_back(Unread(path, read.status().message()));
    }
  }
}

// Beside each file its new content, then all take their places.
class Writing {
 public:
  explicit Writing(const std::string& folder) : folder_(folder) {}

  Status Prepare(const FilePatch& patch) {
    const std::string path = folder_ + "/" + patch.path;
    Result<FileRead> now = ReadBelow(folder_, patch.path, patch.before.size() + 1);
    if (!now.ok() || now->text != patch.before)
      return Error(StatusCode::kBadData,
                   "{}: the file has changed since it was read; nothing was written", path);
    RS_ASSIGN_OR_RETURN(auto file, AtomicFile::Create(path));
    RS_RETURN_IF_ERROR(file->Write(patch.after.data(), patch.after.size()));
    if (chmod(file->temporary_path().c_str(), now->mode) != 0)
      return Error(StatusCode::kIo, "{}: its mode cannot be kept: {}", path, std::strerror(errno));
    files_.push_back(std::move(file));
    patches_.push_back(&patch);
    return OkStatus();
  }

  Status Commit() {
    for (std::size_t done = 0; done < files_.size(); ++done) {
      const Status status = files_[done]->Commit();
      if (status.ok()) continue;
      for (std::size_t back = 0; back < done; ++back) {
        const std::string path = folder_ + "/" + patches_[back]->path;
        if (!WriteFileAtomically(path, patches_[back]->before).ok())
          return Error(StatusCode::kIo, "{}; {} is patched all the same", status.message(), path);
      }
      return status;
    }
    return OkStatus();
  }

 private:
  const std::string& folder_;
  std::vector<std::unique_ptr<AtomicFile>> files_;
  std::vector<const FilePatch*> patches_;
};

}  // namespace

bool IsPlainName(std::string_view path) {
  return IsValidUtf8(path) && std::ranges::none_of(path, [](char byte) {
           return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F || byte == '"' ||
                  byte == '\\';
         });
}

Result<SourceTree> ReadSourceTree(const std::string& folder, const TreeBounds& bounds) {
  struct stat state;
  if (stat(folder.c_str(), &state) != 0)
    return Error(StatusCode::kNotFound, "{}: {}", folder, std::strerror(errno));
  if (!S_ISDIR(state.st_mode)) return Error(StatusCode::kNotFound, "{} is no folder", folder);
  SourceTree tree{.folder = folder, .has_git = false, .files = {}, .unread = {}};
  const Git git(folder);
  tree.has_git = git.HasTree();
  std::optional<std::vector<std::string>> paths;
  if (tree.has_git) paths = git.Files();
  // A folder that git ignores is no part of its tree.
  tree.has_git = paths && std::ranges::any_of(*paths, IsPython);
  if (!tree.has_git) paths = Walk(folder, bounds).Files();
  std::ranges::sort(*paths);
  // Of a conflict git names a file once for each side.
  paths->erase(std::unique(paths->begin(), paths->end()), paths->end());
  ReadInto(tree, *paths, bounds);
  return tree;
}

Result<SourceTree> ReadCommit(const std::string& folder, const std::string& commit,
                              const TreeBounds& bounds) {
  const Git git(folder);
  const auto name = git.CommitOf(commit);
  const auto entries = name ? git.FilesOf(*name) : std::nullopt;
  if (!entries)
    return Error(StatusCode::kNotFound, "{}: git finds no commit '{}' there", folder, commit);
  SourceTree tree{.folder = folder, .has_git = false, .files = {}, .unread = {}};
  std::vector<std::string> objects;
  for (const Git::Entry& entry : *entries) {
    if (!IsPython(entry.path) || !IsPlainName(entry.path)) continue;
    if (objects.size() >= bounds.most_files) {
      tree.unread.push_back(Unread(entry.path, "there are too many files"));
      break;
    }
    objects.push_back(entry.object);
    tree.files.push_back({.path = entry.path, .text = {}});
  }
  auto contents = git.Contents(objects);
  if (!contents)
    return Error(StatusCode::kIo, "{}: git does not say what the files of {} are", folder, commit);
  for (std::size_t i = 0; i < objects.size(); ++i) tree.files[i].text = std::move((*contents)[i]);
  std::erase_if(tree.files, [&](const SourceText& file) {
    if (file.text.size() <= bounds.most_file_bytes) return false;
    tree.unread.push_back(
        Unread(file.path, fmt::format("it has over {} kB", bounds.most_file_bytes >> 10U)));
    return true;
  });
  std::ranges::sort(tree.files, {}, &SourceText::path);
  return tree;
}

Status CheckIsClean(const std::string& folder) {
  const Git git(folder);
  const bool has_git = git.HasTree();
  if (!has_git && git.HasMark())
    return Error(StatusCode::kBadData,
                 "{}: it lies in a working tree of git, but git does not say whether anything is "
                 "not committed (git -C {} status says why); nothing was written",
                 folder, folder);
  if (!has_git) return OkStatus();
  RS_ASSIGN_OR_RETURN(const std::vector<std::string> changed, git.Changed());
  if (changed.empty()) return OkStatus();
  return Error(StatusCode::kBadData,
               "{}: {} not committed ({}): commit or stash that first, so that a patch can be told "
               "from it and undone; nothing was written",
               folder, changed.size() == 1 ? "a change is" : "changes are", changed.front());
}

Status WritePatches(const std::string& folder, const std::vector<FilePatch>& files) {
  Writing writing(folder);
  for (const FilePatch& file : files) RS_RETURN_IF_ERROR(writing.Prepare(file));
  return writing.Commit();
}

}  // namespace rankscope::fix
