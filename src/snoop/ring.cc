#include "snoop/ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace rankscope::snoop {
namespace {

std::size_t PageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

Result<Mapped> Mapped::Of(int descriptor, std::size_t bytes, std::size_t offset, bool writes) {
  Mapped mapped;
  mapped.bytes_ = (bytes + PageBytes() - 1) / PageBytes() * PageBytes();
  void* at = mmap(nullptr, mapped.bytes_, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED,
                  descriptor, static_cast<off_t>(offset));
  if (at == MAP_FAILED)
    return Error(StatusCode::kIo, "what the probes write cannot be mapped: {}",
                 std::strerror(errno));
  mapped.data_ = static_cast<std::byte*>(at);
  return mapped;
}

Mapped::Mapped(Mapped&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

Mapped& Mapped::operator=(Mapped&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapped::~Mapped() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Result<Ring> Ring::Open(int descriptor, std::size_t bytes) {
  Ring ring;
  ring.page_ = PageBytes();
  ring.mask_ = bytes - 1;
  RS_ASSIGN_OR_RETURN(ring.reader_, Mapped::Of(descriptor, ring.page_, 0, true));
  RS_ASSIGN_OR_RETURN(ring.rest_,
                      Mapped::Of(descriptor, ring.page_ + 2 * bytes, ring.page_, false));
  return ring;
}

std::size_t Ring::Drain(const std::function<void(std::span<const std::byte>)>& seen,
                        std::size_t most) {
  const std::atomic_ref<std::uint64_t> reader(*reinterpret_cast<std::uint64_t*>(reader_.data()));
  const std::atomic_ref<std::uint64_t> writers(*reinterpret_cast<std::uint64_t*>(rest_.data()));
  std::byte* const data = rest_.data() + page_;
  std::uint64_t at = reader.load(std::memory_order_relaxed);
  std::size_t count = 0;
  while (count < most && at < writers.load(std::memory_order_acquire)) {
    const std::atomic_ref<std::uint32_t> head(
        *reinterpret_cast<std::uint32_t*>(data + (at & mask_)));
    const std::uint32_t length = head.load(std::memory_order_acquire);
    if ((length & BPF_RINGBUF_BUSY_BIT) != 0) break;
    const std::size_t bytes = length & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
    if ((length & BPF_RINGBUF_DISCARD_BIT) == 0) {
      seen({data + (at & mask_) + BPF_RINGBUF_HDR_SZ, bytes});
      ++count;
    }
    at += (bytes + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
    reader.store(at, std::memory_order_release);
  }
  return count;
}

Status ForEachEntry(int descriptor, std::span<std::byte> key, std::span<std::byte> value,
                    const std::function<void()>& seen) {
  const auto call = [&](int command, const void* first, void* second) {
    bpf_attr attributes;
    std::memset(&attributes, 0, sizeof(attributes));
    attributes.map_fd = static_cast<__u32>(descriptor);
    attributes.key = reinterpret_cast<std::uint64_t>(first);
    attributes.value = reinterpret_cast<std::uint64_t>(second);
    return syscall(SYS_bpf, command, &attributes, sizeof(attributes));
  };
  std::vector<std::byte> next(key.size());
  const void* before = nullptr;
  // The map's size bounds it: nothing is added any more.
  while (call(BPF_MAP_GET_NEXT_KEY, before, next.data()) == 0) {
    std::memcpy(key.data(), next.data(), key.size());
    before = key.data();
    if (call(BPF_MAP_LOOKUP_ELEM, key.data(), value.data()) == 0) seen();
  }
  if (errno == ENOENT) return OkStatus();
  return Error(StatusCode::kIo, "what the probes summed cannot be read: {}", std::strerror(errno));
}

}  // namespace rankscope::snoop
