#include "cpu_profile/image/memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rankscope::cpu_profile {
namespace {

ssize_t ReadOf(pid_t pid, std::uint64_t address, void* to, std::size_t bytes) {
  iovec here{.iov_base = to, .iov_len = bytes};
  iovec there{.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes};
  return process_vm_readv(pid, &here, 1, &there, 1, 0);
}

}  // namespace

bool ProcessMemory::Read(std::uint64_t address, void* to, std::size_t bytes) {
  return ReadOf(pid_, address, to, bytes) == static_cast<ssize_t>(bytes);
}

Status ProcessMemory::Try(std::uint64_t address) {
  char byte = 0;
  if (ReadOf(pid_, address, &byte, 1) == 1) return OkStatus();
  if (errno == EPERM)
    return Error(StatusCode::kIo,
                 "the memory of process {} may not be read: it is another user's, or not to be "
                 "traced; the agent needs CAP_SYS_PTRACE, or kernel.yama.ptrace_scope is to be 0",
                 pid_);
  if (errno == ENOSYS)
    return Error(StatusCode::kIo, "the memory of process {} may not be read: seccomp forbids it",
                 pid_);
  return Error(StatusCode::kIo, "the memory of process {} cannot be read: {}", pid_,
               std::strerror(errno));
}

const PagedMemory::Page* PagedMemory::PageAt(std::uint64_t number) {
  const auto found = pages_.find(number);
  if (found != pages_.end()) return found->second.get();
  if (pages_.size() >= most_pages_) pages_.clear();
  auto page = std::make_unique<Page>();
  if (!memory_.Read(number * kPageBytes, page->data(), kPageBytes)) page.reset();
  return pages_.emplace(number, std::move(page)).first->second.get();
}

bool PagedMemory::Read(std::uint64_t address, void* to, std::size_t bytes) {
  if (address + bytes < address) return false;
  auto* out = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const std::size_t at = address % kPageBytes;
    const std::size_t part = std::min(bytes, kPageBytes - at);
    const Page* page = PageAt(address / kPageBytes);
    if (page == nullptr) return false;
    std::memcpy(out, page->data() + at, part);
    out += part;
    address += part;
    bytes -= part;
  }
  return true;
}

}  // namespace rankscope::cpu_profile
