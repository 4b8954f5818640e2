#include "formats/pickle/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rankscope::pickle {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

Result<std::unique_ptr<Document>> ReadBytes(std::string_view bytes,
                                            const ReadOptions& options = {}) {
  const auto source = OpenByteSource(bytes);
  return Read(*source, "dump.pickle", options);
}

std::string ErrorOf(std::string_view bytes, const ReadOptions& options = {}) {
  const auto document = ReadBytes(bytes, options);
  return document.ok() ? "" : document.status().message();
}

// pickle.dumps(value, protocol) of
//   shared = [1]
//   {"a": [1, -2, 300, 70000, 2**40, 2**62, -2**63, 2**63, 10**40, 1.5, None, True, False],
//    "t": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)), "s": "\u00e9\U0001f600", "b": b"x" (from
//    protocol 3 on), "e": {}, "l": [], "shared": [shared, shared]}
constexpr std::string_view kOfProtocol[] = {
    "286470300a56610a70310a286c70320a49310a61492d320a61493330300a614937303030300a614c"
    "313039393531313632373737364c0a614c343631313638363031383432373338373930344c0a614c"
    "2d393232333337323033363835343737353830384c0a614c39323233333732303336383534373735"
    "3830384c0a614c313030303030303030303030303030303030303030303030303030303030303030"
    "30303030303030304c0a6146312e350a614e614930310a614930300a617356740a70330a28287428"
    "49310a7470340a2849310a49320a7470350a2849310a49320a49330a7470360a2849310a49320a49"
    "330a49340a7470370a7470380a7356730a70390a56e95c5530303031663630300a7031300a735665"
    "0a7031310a28647031320a73566c0a7031330a286c7031340a73567368617265640a7031350a286c"
    "7031360a286c7031370a49310a61616731370a61732e",  // protocol 0
    "7d71002858010000006171015d7102284b014afeffffff4d2c014a701101004c3130393935313136"
    "32373737364c0a4c343631313638363031383432373338373930344c0a4c2d393232333337323033"
    "363835343737353830384c0a4c393232333337323033363835343737353830384c0a4c3130303030"
    "3030303030303030303030303030303030303030303030303030303030303030303030304c0a473f"
    "f80000000000004e4930310a4930300a6558010000007471032829284b01747104284b014b027471"
    "05284b014b024b03747106284b014b024b034b0474710774710858010000007371095806000000c3"
    "a9f09f9880710a580100000065710b7d710c58010000006c710d5d710e5806000000736861726564"
    "710f5d7110285d71114b0161681165752e",  // protocol 1
    "80027d71002858010000006171015d7102284b014afeffffff4d2c014a701101008a060000000000"
    "018a0800000000000000408a0800000000000000808a090000000000000080008a11000000000061"
    "f5b9abbfa45cc3f129631d473ff80000000000004e888965580100000074710328294b018571044b"
    "014b028671054b014b024b03877106284b014b024b034b0474710774710858010000007371095806"
    "000000c3a9f09f9880710a580100000065710b7d710c58010000006c710d5d710e58060000007368"
    "61726564710f5d7110285d71114b0161681165752e",  // protocol 2
    "80037d71002858010000006171015d7102284b014afeffffff4d2c014a701101008a060000000000"
    "018a0800000000000000408a0800000000000000808a090000000000000080008a11000000000061"
    "f5b9abbfa45cc3f129631d473ff80000000000004e888965580100000074710328294b018571044b"
    "014b028671054b014b024b03877106284b014b024b034b0474710774710858010000007371095806"
    "000000c3a9f09f9880710a580100000062710b430178710c580100000065710d7d710e5801000000"
    "6c710f5d7110580600000073686172656471115d7112285d71134b0161681365752e",  // protocol 3
    "800495bc000000000000007d94288c0161945d94284b014afeffffff4d2c014a701101008a060000"
    "000000018a0800000000000000408a0800000000000000808a090000000000000080008a11000000"
    "000061f5b9abbfa45cc3f129631d473ff80000000000004e8889658c01749428294b0185944b014b"
    "0286944b014b024b038794284b014b024b034b04749474948c0173948c06c3a9f09f9880948c0162"
    "94430178948c0165947d948c016c945d948c06736861726564945d94285d944b0161681365752e",  // protocol 4
    "800595bc000000000000007d94288c0161945d94284b014afeffffff4d2c014a701101008a060000"
    "000000018a0800000000000000408a0800000000000000808a090000000000000080008a11000000"
    "000061f5b9abbfa45cc3f129631d473ff80000000000004e8889658c01749428294b0185944b014b"
    "0286944b014b024b038794284b014b024b034b04749474948c0173948c06c3a9f09f9880948c0162"
    "94430178948c0165947d948c016c945d948c06736861726564945d94285d944b0161681365752e",  // protocol 5
};

TEST(PickleDocument, ReadsPlainValuesOfEveryProtocol) {
  for (int protocol = 0; protocol <= 5; ++protocol) {
    SCOPED_TRACE(protocol);
    const std::string bytes = FromHex(kOfProtocol[protocol]);
    EXPECT_EQ(IsPickle(bytes), protocol >= 2);
    const auto read = ReadBytes(bytes);
    ASSERT_TRUE(read.ok()) << read.status().message();
    const Document& document = **read;
    const auto numbers = document.Items(document.Find(document.root(), "a"));
    ASSERT_EQ(numbers.size(), 13u);
    const std::vector<std::optional<std::int64_t>> expected = {
        1,
        -2,
        300,
        70000,
        std::int64_t{1} << 40,
        std::int64_t{1} << 62,
        std::numeric_limits<std::int64_t>::min(),
        std::nullopt,
        std::nullopt,
        std::nullopt,
        std::nullopt,
        1,
        0};
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(document.Int(numbers[i]), expected[i]) << i;
    EXPECT_TRUE(numbers[7].is(Kind::kHugeInt));
    EXPECT_EQ(document.Real(numbers[9]), 1.5);
    EXPECT_EQ(document.Real(numbers[0]), 1.0);
    EXPECT_TRUE(numbers[10].is(Kind::kNone));
    const auto tuples = document.Items(document.Find(document.root(), "t"));
    ASSERT_EQ(tuples.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(document.Items(tuples[i]).size(), i);
    EXPECT_EQ(document.Int(document.Items(tuples[4])[3]), 4);
    EXPECT_EQ(document.Text(document.Find(document.root(), "s")), "\xc3\xa9\xf0\x9f\x98\x80");
    EXPECT_EQ(document.Text(document.Find(document.root(), "b")), protocol >= 3 ? "x" : "");
    EXPECT_TRUE(document.Find(document.root(), "e").is(Kind::kDict));
    EXPECT_TRUE(document.Items(document.Find(document.root(), "e")).empty());
    EXPECT_TRUE(document.Items(document.Find(document.root(), "l")).empty());
    const auto shared = document.Items(document.Find(document.root(), "shared"));
    ASSERT_EQ(shared.size(), 2u);
    EXPECT_EQ(shared[0], shared[1]);
    EXPECT_EQ(document.Int(document.Items(shared[1])[0]), 1);
    EXPECT_TRUE(document.Find(document.root(), "missing").is(Kind::kNone));
  }
}

TEST(PickleDocument, EveryCutIsOneSentence) {
  for (const std::string_view hex : kOfProtocol) {
    const std::string bytes = FromHex(hex);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THAT(ErrorOf(std::string_view(bytes).substr(0, size)),
                  HasSubstr("dump.pickle: byte " + std::to_string(size) + ": the pickle ends"));
    }
  }
}

TEST(PickleDocument, ObjectsAndCallsAreRefusedByNameAndPlace) {
  // cos\nsystem\n(S'echo'\ntR. and the same of protocol 4.
  EXPECT_EQ(ErrorOf("\x80\x02"s + "cos\nsystem\n(X\x04\0\0\0echotR."s),
            "dump.pickle: byte 2: the pickle asks to make an object or to call a function (opcode "
            "GLOBAL), and rankscope carries nothing out: write the file again with plain values "
            "alone");
  EXPECT_THAT(ErrorOf("\x80\x04\x8c\x02os\x8c\x06system\x93."s), HasSubstr("byte 14"));
  for (const char opcode : "Rbio\x81\x82\x83\x84\x92\x93\x97\x98PQ"s)
    EXPECT_THAT(ErrorOf("\x80\x04"s + opcode), HasSubstr("byte 2: the pickle asks to make"));
  EXPECT_THAT(ErrorOf("\x80\x04\xff"s), HasSubstr("byte 2: 0xff is no opcode"));
  EXPECT_THAT(ErrorOf("\x80\x06."s), HasSubstr("newer than 5"));
}

TEST(PickleDocument, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(ErrorOf("."s), HasSubstr("ends without a value"));
  EXPECT_THAT(ErrorOf("e."s), HasSubstr("without the mark"));
  EXPECT_THAT(ErrorOf("(e."s), HasSubstr("without a container"));
  EXPECT_THAT(ErrorOf("N(Ne."s), HasSubstr("no container of their kind"));
  EXPECT_THAT(ErrorOf("}(Nu."s), HasSubstr("a key without a value"));
  EXPECT_THAT(ErrorOf("N(\x85."s), HasSubstr("more than there is"));
  EXPECT_THAT(ErrorOf("h\x05."s), HasSubstr("never remembered"));
  EXPECT_THAT(ErrorOf("(q\x05."s), HasSubstr("nothing to remember"));
  EXPECT_THAT(ErrorOf("I12x\n."s), HasSubstr("without digits"));
  EXPECT_EQ(ErrorOf("Nq\x05h\x05\x86."s), "");
}

TEST(PickleDocument, CyclesAndDepthAreBounded) {
  EXPECT_THAT(ErrorOf("]q\0h\0a."s), HasSubstr("contains itself"));
  // a = {}; b = [a]; a["b"] = b
  EXPECT_THAT(ErrorOf("}q\0X\1\0\0\0b]h\0as."s), HasSubstr("contains itself"));
  const auto nested = [](std::size_t depth) {
    return std::string(depth, ']') + std::string(depth - 1, 'a') + ".";
  };
  EXPECT_EQ(ErrorOf(nested(100)), "");
  EXPECT_THAT(ErrorOf(nested(101)), HasSubstr("deeper"));
  EXPECT_THAT(ErrorOf(nested(1'000'000)), HasSubstr("deeper"));
  // Each list holds the one before twice: 2^60 paths, 60 lists.
  std::string twice = "]q\0"s;
  for (char i = 1; i < 60; ++i)
    twice += "](h"s + static_cast<char>(i - 1) + "h" + static_cast<char>(i - 1) + "eq" + i;
  EXPECT_EQ(ErrorOf(twice + "."), "");
}

TEST(PickleDocument, MemoryIsBounded) {
  ReadOptions options;
  options.limits.memory_bytes = 1 << 20;
  options.limits.text_bytes = 1000;
  EXPECT_THAT(ErrorOf("X\xff\xff\xff\x7f."s, options), HasSubstr("a text of 2147483647 bytes"));
  EXPECT_THAT(ErrorOf("\x8d\xff\xff\xff\xff\xff\xff\xff\xff."s, options), HasSubstr("a text of"));
  // Far places of the memo, copies of one value, and containers.
  EXPECT_EQ(ErrorOf("Nr\xff\xff\xff\xff."s, options), "");
  std::string far = "N";
  for (char i = 0; i < 10; ++i) far += "r\0\0"s + i + "\x10";
  EXPECT_THAT(ErrorOf(far + ".", options), HasSubstr("more than 1 MiB of memory"));
  EXPECT_THAT(ErrorOf(std::string(1 << 20, 'N') + ".", options), HasSubstr("more than 1 MiB"));
  EXPECT_THAT(ErrorOf(std::string(1 << 20, ']') + ".", options), HasSubstr("more than 1 MiB"));
  EXPECT_THAT(ErrorOf(std::string(1 << 20, '(') + ".", options), HasSubstr("mark"));
}

TEST(PickleDocument, LargeTextsCrossTheBuffer) {
  const std::size_t size = 1'000'000;
  const std::string bytes = "X\x40\x42\x0f\0"s + std::string(size, 'x') + ".";
  const auto read = ReadBytes(bytes);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ((*read)->Text((*read)->root()).size(), size);
}

TEST(PickleDocument, ProgressCanStop) {
  ReadOptions options;
  options.progress = [](double, std::uint64_t) { return false; };
  const auto read = ReadBytes("N."s, options);
  EXPECT_EQ(read.status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace rankscope::pickle
