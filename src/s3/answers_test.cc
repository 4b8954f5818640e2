// Answers of S3 as AWS and Swift write them, and what is none.
#include "s3/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "s3/xml.h"

namespace rankscope::s3 {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPage =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>traces</Name>"
    "<Prefix>p/</Prefix><IsTruncated>true</IsTruncated>"
    "<NextContinuationToken>1ueG&amp;==</NextContinuationToken>"
    "<Contents><Key>p/a&lt;b&#x2F;&#228;</Key><LastModified>2026-11-28T18:54:47.123Z</LastModified>"
    "<ETag>&quot;5d41&quot;</ETag><Size>5</Size><StorageClass>STANDARD</StorageClass></Contents>"
    "<Contents><Key>p/c</Key><LastModified>1970-01-01T00:00:01Z</LastModified><Size>0</Size>"
    "</Contents></ListBucketResult>";

TEST(Answers, APageOfAList) {
  const auto page = ReadListPage(kPage);
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].key, "p/a<b/\u00e4");
  EXPECT_EQ(page->objects[0].bytes, 5U);
  EXPECT_EQ(page->objects[0].modified_s, 1'795'892'087);
  EXPECT_EQ(page->objects[1].modified_s, 1);
  EXPECT_EQ(page->next, "1ueG&==");
  EXPECT_EQ(ReadListPage("<ListBucketResult/>")->next, "");
}

TEST(Answers, WhatIsNoPageIsRefused) {
  for (const char* text :
       {"", "<html><body>proxy</body></html>", "<ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><LastModified>2026-13-28T18:54:47Z</LastModified>"
        "<Size>1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><LastModified>2026-11-28T18:54:47Z</LastModified>"
        "<Size>-1</Size></Contents></ListBucketResult>"}) {
    EXPECT_EQ(ReadListPage(text).status().code(), StatusCode::kBadData) << text;
  }
  // Every part of a page is none.
  for (std::size_t bytes = 0; bytes < kPage.size(); ++bytes)
    EXPECT_FALSE(ReadListPage(kPage.substr(0, bytes)).ok()) << bytes;
}

TEST(Answers, ARefusalHasItsCode) {
  const Refusal refusal = ReadRefusal(
      "<?xml version='1.0'?><Error><Code>NoSuchKey</Code><Message>The\nkey</Message></Error>");
  EXPECT_EQ(refusal.code, "NoSuchKey");
  EXPECT_EQ(refusal.message, "The?key");
  EXPECT_EQ(ReadRefusal("502 Bad Gateway").code, "");
  EXPECT_EQ(ReadRefusal("").code, "");
}

TEST(Answers, DoneMaySayError) {
  constexpr std::string_view kElement = "CompleteMultipartUploadResult";
  EXPECT_FALSE(
      ReadDone("<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>",
               kElement)
          .has_value());
  EXPECT_EQ(ReadDone("<Error><Code>InternalError</Code></Error>", kElement)->code, "InternalError");
  EXPECT_EQ(ReadDone("  \n\n<Error><Code>SlowDown</Code></Error>", kElement)->code, "SlowDown");
  EXPECT_TRUE(ReadDone("<CompleteMultipartUploadResult><ETag>", kElement).has_value());
}

TEST(Answers, UploadsThatWereBegun) {
  const auto page = ReadUploadsPage(
      "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated><Upload><Key>k</Key>"
      "<UploadId>u</UploadId><Initiated>2026-11-28T18:54:47.000Z</Initiated></Upload>"
      "</ListMultipartUploadsResult>");
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->uploads.size(), 1U);
  EXPECT_EQ(page->uploads[0].id, "u");
  EXPECT_EQ(
      *ReadUploadId("<a:InitiateMultipartUploadResult xmlns:a=\"x\"><a:UploadId>9</a:UploadId>"
                    "</a:InitiateMultipartUploadResult>"),
      "9");
  EXPECT_FALSE(ReadUploadId("<InitiateMultipartUploadResult/>").ok());
}

TEST(Answers, Times) {
  EXPECT_EQ(ParseHttpTime("Sat, 28 Nov 2026 18:54:47 GMT"), 1'795'892'087);
  EXPECT_EQ(ParseIsoTime("2026-11-28T18:54:47.000Z"), 1'795'892'087);
  for (const char* text : {"", "Sat, 28 Nov 2026 18:54:47 CET", "Sat, 31 Feb 2026 18:54:47 GMT",
                           "Sat, 28 Nvo 2026 18:54:47 GMT"})
    EXPECT_FALSE(ParseHttpTime(text).has_value()) << text;
  EXPECT_FALSE(ParseIsoTime("2026-11-28 18:54:47Z").has_value());
}

TEST(Xml, WhatIsNotWellFormedHasItsByte) {
  for (const char* text : {"<a>", "<a></b>", "<a b></a>", "<a b=c></a>", "<a>&x;</a>", "<a>&lt</a>",
                           "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a/><b/>", "a",
                           "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a><![CDATA[x</a>",
                           "<a><!-- x</a>", "<a", "<a b=\"c", "< a/>"}) {
    const auto parsed = ParseXml(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.status().message(), HasSubstr("at byte")) << text;
  }
}

TEST(Xml, TakesWhatXmlHas) {
  const auto parsed = ParseXml(
      "\xef\xbb\xbf<?xml version='1.0'?><!-- c -->\n<n:a x='1' y = \"2>\"> t&amp;<b/>u"
      "<![CDATA[<v>]]><!-- d --></n:a >\n");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->name, "a");
  EXPECT_EQ(parsed->text, " t&u<v>");
  EXPECT_EQ(parsed->children.size(), 1U);
  EXPECT_NE(parsed->Find("b"), nullptr);
  EXPECT_EQ(parsed->Find("c"), nullptr);
}

TEST(Xml, IsBounded) {
  std::string deep;
  for (int i = 0; i <= kMostXmlDepth; ++i) deep += "<a>";
  EXPECT_THAT(ParseXml(deep).status().message(), HasSubstr("too deep"));
  EXPECT_THAT(ParseXml(std::string(kMostXmlBytes + 1, ' ')).status().message(),
              HasSubstr("too long"));
  EXPECT_EQ(ParseXml("<a>" + XmlEscaped("<&>\"") + "</a>")->text, "<&>\"");
}

}  // namespace
}  // namespace rankscope::s3
