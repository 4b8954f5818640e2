#include "service/access/access.h"

#include <openssl/crypto.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/file.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

constexpr std::string_view kRoles[] = {"none", "read", "upload", "admin"};
constexpr std::string_view kTokenPrefix = "rs_";
constexpr std::string_view kHashPrefix = "sha256:";

// 43 letters and digits of 32 random bytes, each worth 6 bits but for two signs that stand for
// letters: 254 bits at least.
std::string RandomText() {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789xy";
  unsigned char bytes[43];
  // Never fails for so few bytes once the system is up.
  while (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) {
  }
  std::string text;
  for (const unsigned char byte : bytes) text += kLetters[byte % 64];
  return text;
}

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 100 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == '@';
  });
}

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = line.find_first_of(" \t\r");
    words.push_back(line.substr(0, end));
    line.remove_prefix(words.back().size());
  }
}

}  // namespace

std::string_view ToString(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::optional<Role> ParseRole(std::string_view text) {
  const auto found = std::ranges::find(std::begin(kRoles) + 1, std::end(kRoles), text);
  if (found == std::end(kRoles)) return std::nullopt;
  return static_cast<Role>(found - std::begin(kRoles));
}

Result<NewToken> MakeToken(Role role, std::string_view team, std::string_view name) {
  if (team != kAllTeams && !IsWord(team))
    return Error(StatusCode::kInvalidArgument, "'{}' is no team: take a word, or *", team);
  if (!IsWord(name))
    return Error(StatusCode::kInvalidArgument, "'{}' is no name: take a word", name);
  NewToken made;
  made.token = std::string(kTokenPrefix) + RandomText();
  made.line = fmt::format("{}{} {} {} {}", kHashPrefix, store::Sha256Of(made.token), ToString(role),
                          team, name);
  return made;
}

Access Access::Open(std::function<std::int64_t()> now_s) { return Access(now_s); }

Result<Access> Access::FromFile(const std::string& path, std::function<std::int64_t()> now_s) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Error(StatusCode::kBadData,
                 "{}: others may write to it, and so let themselves in: chmod 600 {}", path, path);
  }
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Access access(now_s);
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::vector<std::string_view> words = Words(line);
    if (words.empty()) continue;
    const auto wrong = [&](std::string_view what) {
      return Error(StatusCode::kBadData, "{}: line {}: {}; rankscope token makes such lines", path,
                   number, what);
    };
    if (words.size() != 4) return wrong("not sha256:HEX ROLE TEAM NAME");
    if (!words[0].starts_with(kHashPrefix) || !store::IsSha256(words[0].substr(kHashPrefix.size())))
      return wrong("it does not begin with sha256: and 64 digits");
    const auto role = ParseRole(words[1]);
    if (!role) return wrong("the role is none of read, upload and admin");
    access.tokens_.push_back(
        {.hash = std::string(words[0].substr(kHashPrefix.size())),
         .principal = {
             .name = std::string(words[3]), .role = *role, .team = std::string(words[2])}});
  }
  if (access.tokens_.empty())
    return Error(StatusCode::kBadData, "{}: it has no token; rankscope token makes one", path);
  return access;
}

std::optional<Principal> Access::OfToken(std::string_view token) const {
  const std::string hash = store::Sha256Of(token);
  std::optional<Principal> found;
  for (const Token& known : tokens_) {
    if (CRYPTO_memcmp(known.hash.data(), hash.data(), hash.size()) == 0) found = known.principal;
  }
  return found;
}

Result<std::string> Access::NewSession(const Principal& principal) {
  std::string id = RandomText();
  RS_RETURN_IF_ERROR(
      sessions_->Add(store::Sha256Of(id), principal, kSessionSeconds, kMostSessions));
  return id;
}

Result<std::optional<Principal>> Access::OfSession(std::string_view id) const {
  RS_ASSIGN_OR_RETURN(std::optional<Principal> who, sessions_->Find(store::Sha256Of(id)));
  // Sessions of a cluster outlive the process, and with it the token that was taken away.
  const auto has_token = [&] {
    return std::ranges::any_of(tokens_, [&](const Token& token) {
      return token.principal.name == who->name && token.principal.role == who->role &&
             token.principal.team == who->team;
    });
  };
  const bool is_known =
      who && (is_open() || (who->source.empty() ? has_token() : who->source == people_));
  if (!is_known) who.reset();
  return who;
}

Status Access::EndSession(std::string_view id) { return sessions_->End(store::Sha256Of(id)); }

}  // namespace rankscope::service
