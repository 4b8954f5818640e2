#include "certs/authority.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace rankscope::certs {
namespace {

struct Free {
  void operator()(X509* one) const { X509_free(one); }
  void operator()(X509_STORE* one) const { X509_STORE_free(one); }
  void operator()(X509_STORE_CTX* one) const { X509_STORE_CTX_free(one); }
};
using Certificate = std::unique_ptr<X509, Free>;

Certificate Parse(const std::string& pem) {
  BIO* const bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  Certificate certificate(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
  BIO_free(bio);
  return certificate;
}

// As OpenSSL checks the other end of a connection.
bool IsTrusted(const std::string& authority, const std::string& pem, int purpose) {
  const Certificate root = Parse(authority), leaf = Parse(pem);
  const std::unique_ptr<X509_STORE, Free> store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), root.get());
  const std::unique_ptr<X509_STORE_CTX, Free> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  return X509_verify_cert(context.get()) == 1;
}

class Certs : public testing::Test {
 protected:
  const Certified authority_ = MakeAuthority(30).value();
};

TEST_F(Certs, AServerIsKnownByItsNamesAndAddressesAlone) {
  const auto server = IssueForServer(authority_, {"train.example", "127.0.0.1", "::1"}, 30);
  ASSERT_TRUE(server.ok()) << server.status().message();
  EXPECT_TRUE(IsTrusted(authority_.certificate, server->certificate, X509_PURPOSE_SSL_SERVER));
  // What a server has does not let an agent in.
  EXPECT_FALSE(IsTrusted(authority_.certificate, server->certificate, X509_PURPOSE_SSL_CLIENT));
  const Certificate certificate = Parse(server->certificate);
  EXPECT_EQ(X509_check_host(certificate.get(), "train.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "other.example", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.2", 0), 0);
}

TEST_F(Certs, AnAgentIsKnownToItsOwnAuthorityAlone) {
  const auto agent = IssueForAgent(authority_, "node1", "blue", 30);
  ASSERT_TRUE(agent.ok()) << agent.status().message();
  EXPECT_TRUE(IsTrusted(authority_.certificate, agent->certificate, X509_PURPOSE_SSL_CLIENT));
  EXPECT_FALSE(IsTrusted(authority_.certificate, agent->certificate, X509_PURPOSE_SSL_SERVER));
  const Certified other = MakeAuthority(30).value();
  EXPECT_FALSE(IsTrusted(other.certificate, agent->certificate, X509_PURPOSE_SSL_CLIENT));
  char text[64] = {};
  const Certificate certificate = Parse(agent->certificate);
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  X509_NAME_get_text_by_NID(subject, NID_commonName, text, sizeof(text));
  EXPECT_STREQ(text, "node1");
  X509_NAME_get_text_by_NID(subject, NID_organizationalUnitName, text, sizeof(text));
  EXPECT_STREQ(text, "blue");
  // Nor can it sign others.
  EXPECT_FALSE(IssueForAgent(*agent, "node2", "", 30).ok());
}

TEST_F(Certs, WhatIsNoNameIsRefused) {
  for (const char* name : {"", "a b", "a,DNS:b", "a\nb", "*"})
    EXPECT_FALSE(IssueForServer(authority_, {name}, 30).ok()) << name;
  EXPECT_FALSE(IssueForAgent(authority_, std::string(65, 'a'), "", 30).ok());
  EXPECT_FALSE(IssueForServer(authority_, {}, 30).ok());
  EXPECT_FALSE(IssueForServer(authority_, {"a"}, 0).ok());
  EXPECT_FALSE(IssueForServer({.certificate = "x", .key = "y"}, {"a"}, 30).ok());
  // A certificate with somebody else's key.
  const Certified other = MakeAuthority(30).value();
  EXPECT_FALSE(IssueForServer({authority_.certificate, other.key}, {"a"}, 30).ok());
}

}  // namespace
}  // namespace rankscope::certs
