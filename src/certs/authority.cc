#include "certs/authority.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>

namespace rankscope::certs {
namespace {

template <typename T, void (*Free)(T*)>
struct Freer {
  void operator()(T* one) const { Free(one); }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION, X509_EXTENSION_free>>;
struct BioFreer {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
};
using Bio = std::unique_ptr<BIO, BioFreer>;

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::size_t kMostName = 64;  // what a CN may have

Status Failed(std::string_view what) {
  char reason[256] = {};
  ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
  return Error(StatusCode::kInternal, "{}: {}", what, reason);
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(std::max(0L, size))};
}

// Letters, digits, dots, dashes, underscores, colons: names and addresses of hosts.
Status CheckName(std::string_view name) {
  const bool is_name =
      !name.empty() && name.size() <= kMostName && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_' || c == ':';
      });
  if (is_name) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "'{}' is no name of up to {} letters, digits, dots, dashes and colons", name,
               kMostName);
}

// What one certificate has that others have not.
struct Subject {
  std::string name;
  std::string unit;          // empty: none
  std::string alternatives;  // "DNS:a,IP:10.0.0.1"; empty: none
  std::string constraints;
  std::string usage;
  std::string extended_usage;  // empty: any
};

class Maker {
 public:
  Maker(X509* issuer, EVP_PKEY* issuer_key) : issuer_(issuer), issuer_key_(issuer_key) {}

  Result<Certified> Make(const Subject& subject, std::int64_t days) const {
    if (days < 1 || days > 36'500)
      return Error(StatusCode::kInvalidArgument, "a certificate is good for 1 to 36,500 days");
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate(X509_new());
    if (!key || !certificate) return Failed("cannot make a key");
    X509* const made = certificate.get();
    unsigned char serial[16];
    if (RAND_bytes(serial, sizeof(serial)) != 1) return Failed("no random numbers");
    serial[0] &= 0x7f;  // positive
    const std::unique_ptr<BIGNUM, Freer<BIGNUM, BN_free>> number(
        BN_bin2bn(serial, sizeof(serial), nullptr));
    // From an hour ago: clocks of hosts differ.
    const bool is_filled =
        X509_set_version(made, 2) == 1 &&
        BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(made)) != nullptr &&
        X509_gmtime_adj(X509_getm_notBefore(made), -3600) != nullptr &&
        X509_gmtime_adj(X509_getm_notAfter(made), static_cast<long>(days * kDaySeconds)) !=
            nullptr &&
        X509_set_pubkey(made, key.get()) == 1 && SetSubject(made, subject) &&
        X509_set_issuer_name(made, X509_get_subject_name(issuer_ != nullptr ? issuer_ : made)) == 1;
    if (!is_filled) return Failed("cannot make a certificate");
    RS_RETURN_IF_ERROR(AddExtensions(made, subject));
    EVP_PKEY* const signer = issuer_key_ != nullptr ? issuer_key_ : key.get();
    if (X509_sign(made, signer, EVP_sha256()) == 0) return Failed("cannot sign");
    const Bio text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_X509(text.get(), made) != 1 ||
        PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                 nullptr) != 1)
      return Failed("cannot write a certificate");
    return Certified{.certificate = TextOf(text.get()), .key = TextOf(key_text.get())};
  }

 private:
  static bool SetSubject(X509* made, const Subject& subject) {
    X509_NAME* const name = X509_get_subject_name(made);
    const auto add = [name](const char* kind, const std::string& text) {
      return X509_NAME_add_entry_by_txt(name, kind, MBSTRING_UTF8,
                                        reinterpret_cast<const unsigned char*>(text.data()),
                                        static_cast<int>(text.size()), -1, 0) == 1;
    };
    return add("CN", subject.name) && (subject.unit.empty() || add("OU", subject.unit));
  }

  Status AddExtensions(X509* made, const Subject& subject) const {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer_ != nullptr ? issuer_ : made, made, nullptr, nullptr, 0);
    const std::pair<int, std::string> wanted[] = {
        {NID_basic_constraints, subject.constraints},
        {NID_key_usage, subject.usage},
        {NID_ext_key_usage, subject.extended_usage},
        {NID_subject_alt_name, subject.alternatives},
        {NID_subject_key_identifier, "hash"},
        {NID_authority_key_identifier, issuer_ != nullptr ? "keyid" : ""},
    };
    for (const auto& [kind, value] : wanted) {
      if (value.empty()) continue;
      const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
      if (!extension || X509_add_ext(made, extension.get(), -1) != 1)
        return Failed("cannot make a certificate");
    }
    return OkStatus();
  }

  X509* const issuer_;  // null: it signs itself
  EVP_PKEY* const issuer_key_;
};

Result<Certified> Issue(const Certified& authority, const Subject& subject, std::int64_t days) {
  const auto read = [](const std::string& text) {
    return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  };
  const Certificate issuer(
      PEM_read_bio_X509(read(authority.certificate).get(), nullptr, nullptr, nullptr));
  const Key key(PEM_read_bio_PrivateKey(read(authority.key).get(), nullptr, nullptr, nullptr));
  if (!issuer || !key || X509_check_private_key(issuer.get(), key.get()) != 1 ||
      X509_check_ca(issuer.get()) != 1)
    return Error(StatusCode::kBadData, "this is no certificate authority with its key");
  return Maker(issuer.get(), key.get()).Make(subject, days);
}

}  // namespace

Result<Certified> MakeAuthority(std::int64_t days) {
  return Maker(nullptr, nullptr)
      .Make({.name = "rankscope",
             .unit = "",
             .alternatives = "",
             .constraints = "critical,CA:TRUE,pathlen:0",
             .usage = "critical,keyCertSign,cRLSign",
             .extended_usage = ""},
            days);
}

Result<Certified> IssueForServer(const Certified& authority, const std::vector<std::string>& names,
                                 std::int64_t days) {
  if (names.empty())
    return Error(StatusCode::kInvalidArgument, "a server's certificate needs a name of the server");
  std::string alternatives;
  for (const std::string& name : names) {
    RS_RETURN_IF_ERROR(CheckName(name));
    unsigned char address[16];
    const bool is_address = inet_pton(AF_INET, name.c_str(), address) == 1 ||
                            inet_pton(AF_INET6, name.c_str(), address) == 1;
    alternatives +=
        fmt::format("{}{}:{}", alternatives.empty() ? "" : ",", is_address ? "IP" : "DNS", name);
  }
  return Issue(authority,
               {.name = names.front(),
                .unit = "",
                .alternatives = std::move(alternatives),
                .constraints = "critical,CA:FALSE",
                .usage = "critical,digitalSignature",
                .extended_usage = "serverAuth"},
               days);
}

Result<Certified> IssueForAgent(const Certified& authority, const std::string& name,
                                const std::string& team, std::int64_t days) {
  RS_RETURN_IF_ERROR(CheckName(name));
  if (!team.empty()) RS_RETURN_IF_ERROR(CheckName(team));
  return Issue(authority,
               {.name = name,
                .unit = team,
                .alternatives = "",
                .constraints = "critical,CA:FALSE",
                .usage = "critical,digitalSignature",
                .extended_usage = "clientAuth"},
               days);
}

}  // namespace rankscope::certs
