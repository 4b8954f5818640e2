#include "agent/base/acting_as.h"

#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "agent/base/fields.h"
#include "base/check.h"

namespace rankscope::agent {
namespace {

// What fsuid 0 brings with it, by the kernel's own list.
constexpr std::uint64_t kOverFiles = (1ULL << CAP_CHOWN) | (1ULL << CAP_DAC_OVERRIDE) |
                                     (1ULL << CAP_DAC_READ_SEARCH) | (1ULL << CAP_FOWNER) |
                                     (1ULL << CAP_FSETID) | (1ULL << CAP_MKNOD) |
                                     (1ULL << CAP_MAC_OVERRIDE) | (1ULL << CAP_LINUX_IMMUTABLE);

struct CapabilitySets {
  std::uint64_t effective = 0, permitted = 0, inheritable = 0;
};

__user_cap_header_struct OfThisThread() {
  return {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
}

std::optional<CapabilitySets> Capabilities() {
  __user_cap_header_struct head = OfThisThread();
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &head, data) != 0) return std::nullopt;
  const auto joined = [](std::uint32_t low, std::uint32_t high) {
    return low | (std::uint64_t{high} << 32);
  };
  return CapabilitySets{joined(data[0].effective, data[1].effective),
                        joined(data[0].permitted, data[1].permitted),
                        joined(data[0].inheritable, data[1].inheritable)};
}

bool SetEffective(std::uint64_t effective) {
  const auto sets = Capabilities();
  if (!sets) return false;
  if (sets->effective == effective) return true;
  __user_cap_header_struct head = OfThisThread();
  __user_cap_data_struct data[2] = {};
  for (int half = 0; half < 2; ++half) {
    data[half] = {.effective = static_cast<std::uint32_t>(effective >> (32 * half)),
                  .permitted = static_cast<std::uint32_t>(sets->permitted >> (32 * half)),
                  .inheritable = static_cast<std::uint32_t>(sets->inheritable >> (32 * half))};
  }
  return syscall(SYS_capset, &head, data) == 0;
}

// The calls of the C library would change all threads.
bool SetGroups(const std::vector<gid_t>& groups) {
  return syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

std::optional<std::vector<gid_t>> Groups() {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
  const int got = getgroups(static_cast<int>(groups.size()), groups.data());
  if (got < 0) return std::nullopt;
  groups.resize(static_cast<std::size_t>(got));
  return groups;
}

// Neither call tells whether it was done: asking for nobody changes nothing, and tells who it is.
uid_t FileUid() { return static_cast<uid_t>(setfsuid(static_cast<uid_t>(-1))); }
gid_t FileGid() { return static_cast<gid_t>(setfsgid(static_cast<gid_t>(-1))); }

// The numbers behind "Groups:"; nullopt: there is no such line, or no numbers in it.
std::optional<std::vector<std::uint64_t>> NumbersOf(std::string_view status, std::string_view key,
                                                    int base) {
  std::optional<std::vector<std::uint64_t>> numbers;
  ForEachLine(status, [&](std::string_view line) {
    if (numbers || !line.starts_with(key)) return;
    std::vector<std::uint64_t> found;
    const char* at = line.data() + key.size();
    const char* const end = line.data() + line.size();
    while (at != end) {
      if (*at == ' ' || *at == '\t') {
        ++at;
        continue;
      }
      std::uint64_t number = 0;
      const auto [behind, error] = std::from_chars(at, end, number, base);
      if (error != std::errc()) return;
      found.push_back(number);
      at = behind;
    }
    numbers = std::move(found);
  });
  return numbers;
}

}  // namespace

Result<FileRights> FileRightsIn(std::string_view status, uid_t uid) {
  constexpr int kDecimal = 10;
  constexpr int kHexadecimal = 16;
  const auto uids = NumbersOf(status, "Uid:", kDecimal);
  const auto gids = NumbersOf(status, "Gid:", kDecimal);
  const auto groups = NumbersOf(status, "Groups:", kDecimal);
  if (!uids || uids->empty() || !gids || gids->empty() || !groups)
    return Error(StatusCode::kBadData, "the kernel does not tell its user and groups");
  if (uids->front() != uid)
    return Error(StatusCode::kBadData, "the process is of user {} now, not {}", uids->front(), uid);
  FileRights rights{.uid = uid, .gid = static_cast<gid_t>(gids->front())};
  for (const std::uint64_t group : *groups) rights.groups.push_back(static_cast<gid_t>(group));
  const auto capabilities = NumbersOf(status, "CapEff:", kHexadecimal);
  if (uid == 0 && capabilities && !capabilities->empty())
    rights.capabilities = capabilities->front();
  return rights;
}

ActingAs::ActingAs(const FileRights& whose) : uid_(FileUid()), gid_(FileGid()) {
  const auto groups = Groups();
  const auto capabilities = Capabilities();
  if (!groups || !capabilities) return;
  groups_ = *groups;
  capabilities_ = capabilities->effective;
  // Nothing may fail from here on, memory neither.
  std::vector<gid_t> mine = groups_, theirs = whose.groups;
  std::ranges::sort(mine);
  std::ranges::sort(theirs);
  // In this order: who has become somebody else may change nothing more.
  has_groups_ = SetGroups(whose.groups);
  setfsgid(whose.gid);
  setfsuid(whose.uid);
  const std::uint64_t less = capabilities_ & ~(kOverFiles & ~whose.capabilities);
  has_capabilities_ = SetEffective(less);
  is_them_ = has_capabilities_ && FileUid() == whose.uid && FileGid() == whose.gid &&
             (has_groups_ || mine == theirs);
}

ActingAs::~ActingAs() {
  setfsuid(uid_);
  setfsgid(gid_);
  if (has_groups_) RS_CHECK(SetGroups(groups_), "the thread cannot have its groups back");
  if (has_capabilities_)
    RS_CHECK(SetEffective(capabilities_), "the thread cannot have its capabilities back");
  RS_CHECK(FileUid() == uid_ && FileGid() == gid_, "the thread cannot have its user back");
}

}  // namespace rankscope::agent
