#include "checkpoint/safetensors.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "core/error.h"
#include "support/catch.h"
#include "support/files.h"

using namespace gloss;
using namespace gloss::testing;

namespace {

std::string with_length(const std::string& header, uint64_t length, const std::string& data) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string file_of(const std::string& header, const std::string& data) {
  return with_length(header, header.size(), data);
}

std::string one_tensor(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":)" + type + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

struct Hostile {
  std::string what;
  std::string bytes;
  std::string message;  ///< part of it
};

std::vector<Hostile> hostile_files() {
  const std::string eight(8, 'x');
  // Two tensors of four bytes named by the caller.
  const auto pair = [](const char* first, const char* first_offsets, const char* second,
                       const char* second_offsets) {
    const auto middle = R"(":{"dtype":"U8","shape":[4],"data_offsets":)";
    std::string header = "{\"";
    return header.append(first)
        .append(middle)
        .append(first_offsets)
        .append("},\"")
        .append(second)
        .append(middle)
        .append(second_offsets)
        .append("}}");
  };
  std::string many_axes = "[1";
  for (int i = 0; i < 64; ++i) many_axes.append(",1");
  many_axes.append("]");
  return {
      {"empty file", "", "too few"},
      {"cut length", "\x01\x02\x03", "too few"},
      {"length beyond the file", with_length("{}", 3, ""), "claims a header"},
      {"length near 2^64", with_length("{}", ~uint64_t{0}, ""), "claims a header"},
      {"length that overflows with 8", with_length("{}", ~uint64_t{0} - 7, ""), "claims a header"},
      {"header of length 0", with_length("", 0, ""), "not JSON"},
      {"not JSON", file_of("{oops}", ""), "not JSON"},
      {"not UTF-8", file_of("{\"\xff\xfe\":1}", ""), "not JSON"},
      {"cut JSON", file_of(R"({"a":{"dtype":)", ""), "not JSON"},
      {"two JSON values", file_of("{}{}", ""), "not JSON"},
      {"an array", file_of("[]", ""), "not a JSON object"},
      {"a number", file_of("1", ""), "not a JSON object"},
      {"a nest", file_of(std::string(100000, '[') + std::string(100000, ']'), ""), "nested too deeply"},
      {"a nest of objects", file_of(R"({"a":{"b":{"c":{"d":{"e":{"f":1}}}}}})", ""), "nested too deeply"},
      {"a name twice", file_of(pair("a", "[0,4]", "a", "[4,8]"), eight), "'a' twice"},
      {"a key twice", file_of(R"({"a":{"dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8]}})", eight),
       "'dtype' twice"},
      {"metadata twice", file_of(R"({"__metadata__":{},"__metadata__":{}})", ""), "twice"},
      {"metadata not an object", file_of(R"({"__metadata__":[]})", ""), "__metadata__"},
      {"metadata not text", file_of(R"({"__metadata__":{"k":1}})", ""), "'k' is not text"},
      {"version not a number", file_of(R"({"__metadata__":{"gloss-format":"one"}})", ""),
       "not a version number"},
      {"version 0", file_of(R"({"__metadata__":{"gloss-format":"0"}})", ""), "not a version number"},
      {"tensor not an object", file_of(R"({"a":7})", ""), "not described"},
      {"no dtype", file_of(R"({"a":{"shape":[8],"data_offsets":[0,8]}})", eight), "not described"},
      {"one key too many",
       file_of(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8],"code":"x"}})", eight),
       "not described"},
      {"unknown dtype", file_of(one_tensor(R"("F8_E5M2")", "[8]", "[0,8]"), eight), "F8_E5M2"},
      {"dtype a number", file_of(one_tensor("32", "[8]", "[0,8]"), eight), "type"},
      {"shape not an array", file_of(one_tensor(R"("U8")", "8", "[0,8]"), eight), "shape"},
      {"negative extent", file_of(one_tensor(R"("U8")", "[-8]", "[0,8]"), eight), "not a whole number"},
      {"fractional extent", file_of(one_tensor(R"("U8")", "[8.0]", "[0,8]"), eight), "not a whole number"},
      {"extent as text", file_of(one_tensor(R"("U8")", R"(["8"])", "[0,8]"), eight), "not a whole number"},
      {"extent beyond int64", file_of(one_tensor(R"("U8")", "[9223372036854775808]", "[0,8]"), eight),
       "not a whole number"},
      {"product that wraps to 8", file_of(one_tensor(R"("U8")", "[4611686018427387904,4,2]", "[0,8]"), eight),
       "too large"},
      {"product times type size that wraps",
       file_of(one_tensor(R"("F64")", "[2305843009213693953]", "[0,8]"), eight), "too large"},
      {"empty shape that would overflow",
       file_of(one_tensor(R"("U8")", "[0,4611686018427387904,4611686018427387904]", "[0,0]"), ""),
       "too large"},
      {"offsets not a pair", file_of(one_tensor(R"("U8")", "[8]", "[0,4,8]"), eight), "data_offsets"},
      {"offsets not numbers", file_of(one_tensor(R"("U8")", "[8]", R"(["0","8"])"), eight),
       "not a whole number"},
      {"offsets reversed", file_of(one_tensor(R"("U8")", "[8]", "[8,0]"), eight), "offsets"},
      {"offsets beyond the file", file_of(one_tensor(R"("U8")", "[9]", "[0,9]"), eight), "8 bytes of data"},
      {"offsets too short for the shape", file_of(one_tensor(R"("F32")", "[3]", "[0,8]"), eight),
       "needs 12 bytes"},
      {"offsets too long for the shape", file_of(one_tensor(R"("F16")", "[3]", "[0,8]"), eight),
       "needs 6 bytes"},
      {"overlap", file_of(pair("a", "[0,4]", "b", "[2,6]"), "xxxxxx"), "inside another"},
      {"the same bytes twice", file_of(pair("a", "[0,4]", "b", "[0,4]"), "xxxx"), "inside another"},
      {"gap", file_of(pair("a", "[0,4]", "b", "[5,9]"), "xxxxxxxxx"), "gap"},
      {"bytes at the end", file_of(one_tensor(R"("U8")", "[4]", "[0,4]"), "xxxxx"), "belong to no tensor"},
      {"data without tensors", file_of("{}", "x"), "belong to no tensor"},
      {"65 axes", file_of(one_tensor(R"("U8")", many_axes, "[0,1]"), "x"), "shape"},
  };
}

NamedTensors one_of_each_type() {
  return {{"f64", torch::tensor({0.1, -1e300}, at::kDouble)},
          {"f32", torch::tensor({{1.5F, 2.5F}, {-0.0F, 3e38F}})},
          {"f16", torch::tensor({0.5, -65504.0}).to(at::kHalf)},
          {"bf16", torch::tensor({1.5, 1e30}).to(at::kBFloat16)},
          {"i64", torch::tensor({int64_t{1} << 60, int64_t{-5}}, at::kLong)},
          {"i32", torch::tensor({-7, 8, 9}, at::kInt)},
          {"u8", torch::tensor({0, 255, 3}, at::kByte)},
          {"bool", torch::tensor({1, 0, 1}, at::kBool)},
          {"scalar", torch::tensor(4.25F)},
          {"nothing", at::empty({0, 3})},
          {"a \"name\"\nwith \xc3\xa9", torch::tensor({1.0F})}};
}

void check_same(const NamedTensors& found, const NamedTensors& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, tensor] : expected) {
    CAPTURE(name);
    REQUIRE(found.contains(name));
    CHECK(found.at(name).scalar_type() == tensor.scalar_type());
    CHECK(found.at(name).sizes() == tensor.sizes());
    CHECK(at::equal(found.at(name), tensor));
  }
}

}  // namespace

TEST_CASE("tensors of every type come back as they were, with their metadata", "[checkpoint][property]") {
  const TemporaryFolder folder;
  const auto tensors = one_of_each_type();
  write_safetensors(folder / "x.safetensors", tensors, {{"source", "caf\xc3\xa9"}});
  const auto file = read_safetensors(folder / "x.safetensors");
  check_same(file.tensors, tensors);
  CHECK(file.metadata == Metadata{{"source", "caf\xc3\xa9"}, {"gloss-format", "1"}});
}

TEST_CASE("a view is written as what it shows", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  const auto whole = at::arange(12, at::kFloat).view({3, 4});
  write_safetensors(folder / "x", {{"t", whole.t()}, {"column", whole.select(1, 2)}});
  check_same(read_safetensors(folder / "x").tensors, {{"t", whole.t()}, {"column", whole.select(1, 2)}});
}

TEST_CASE("what is read does not depend on the file any more", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", {{"t", at::ones({1000})}});
  const auto file = read_safetensors(folder / "x");
  put_bytes(folder / "x", "gone");
  CHECK(at::equal(file.tensors.at("t"), at::ones({1000})));
}

TEST_CASE("every tensor begins at a multiple of its type's size in the file", "[checkpoint][property]") {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", one_of_each_type());
  const auto bytes = bytes_of_file(folder / "x");
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  CHECK(length % 8 == 0);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  const std::map<std::string, uint64_t> sizes{{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2},
                                              {"I64", 8}, {"I32", 4}, {"U8", 1},  {"BOOL", 1}};
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    CHECK(entry["data_offsets"][0].get<uint64_t>() % sizes.at(entry["dtype"]) == 0);
  }
}

TEST_CASE("a file written by the Python package is read", "[checkpoint][golden]") {
  const auto file = read_safetensors(std::filesystem::path(GLOSS_SOURCE_DIR) /
                                     "tests/checkpoint/golden/python.safetensors");
  check_same(file.tensors, {{"layer.weight", torch::tensor({{1.5F, -2.0F, 0.25F}, {3.0F, 1e-3F, -1e30F}})},
                            {"layer.scale", torch::tensor(0.1, at::kDouble)},
                            {"half", torch::tensor({0.5, -65504.0}).to(at::kHalf)},
                            {"brain", torch::tensor({1.5, -2.0}).to(at::kBFloat16)},
                            {"long", torch::tensor({int64_t{-1}, int64_t{1} << 40}, at::kLong)},
                            {"int", torch::tensor({{-7, 2147483647}}, at::kInt)},
                            {"byte", torch::tensor({0, 127, 255}, at::kByte)},
                            {"truth", torch::tensor({1, 0, 1}, at::kBool)},
                            {"empty", at::empty({0, 4})}});
  CHECK(file.metadata == Metadata{{"made-by", "python safetensors"}});
}

TEST_CASE("hostile headers are refused with the file's name and the fault", "[checkpoint][property]") {
  const TemporaryFolder folder;
  for (const auto& hostile : hostile_files()) {
    CAPTURE(hostile.what);
    const auto file = folder / "hostile.safetensors";
    put_bytes(file, hostile.bytes);
    CHECK_THROWS_AS(read_safetensors(file), CheckpointError);
    CHECK_THROWS_WITH(read_safetensors(file),
                      Catch::StartsWith(file.string() + ": ") && Catch::Contains(hostile.message));
    CHECK_THROWS_AS(check_safetensors(file), CheckpointError);
  }
}

TEST_CASE("a file cut anywhere is refused", "[checkpoint][property]") {
  const TemporaryFolder folder;
  write_safetensors(folder / "whole", one_of_each_type());
  const auto whole = bytes_of_file(folder / "whole");
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    put_bytes(folder / "cut", whole.substr(0, size));
    CHECK_THROWS_AS(check_safetensors(folder / "cut"), CheckpointError);
  }
}

TEST_CASE("random damage to the header is read or refused, never worse", "[checkpoint][property]") {
  const TemporaryFolder folder;
  write_safetensors(folder / "whole", one_of_each_type());
  const auto whole = bytes_of_file(folder / "whole");
  std::mt19937 random(7);
  int refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    auto damaged = whole;
    for (int i = 0; i < 3; ++i) damaged[random() % (whole.size() - 60)] = static_cast<char>(random());
    put_bytes(folder / "damaged", damaged);
    try {
      read_safetensors(folder / "damaged");
    } catch (const CheckpointError&) {
      ++refused;
    }
  }
  CHECK(refused > 300);
}

TEST_CASE("truth values other than 0 and 1 are refused", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  put_bytes(folder / "x", file_of(one_tensor(R"("BOOL")", "[2]", "[0,2]"), "\x01\x02"));
  CHECK_THROWS_WITH(read_safetensors(folder / "x"), Catch::Contains("truth value"));
}

TEST_CASE("a newer format version is named beside the one supported", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  put_bytes(folder / "x", file_of(R"({"__metadata__":{"gloss-format":"12"}})", ""));
  CHECK_THROWS_WITH(read_safetensors(folder / "x"), Catch::Contains("format version 12") &&
                                                        Catch::Contains("up to version 1") &&
                                                        Catch::Contains("update gloss"));
}

TEST_CASE("a missing file and a folder are refused by name", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read_safetensors(folder / "none"),
                    Catch::Contains((folder / "none").string()) && Catch::Contains("no such file"));
  CHECK_THROWS_AS(read_safetensors(folder.path()), CheckpointError);
}

TEST_CASE("control characters from a file do not reach the message", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  put_bytes(folder / "x", file_of(R"({"\u001b[2Jevil":7})", ""));
  try {
    read_safetensors(folder / "x");
    FAIL("read");
  } catch (const CheckpointError& error) {
    CHECK(std::string(error.what()).find('\x1b') == std::string::npos);
    CHECK(std::string(error.what()).find("evil") != std::string::npos);
  }
}

TEST_CASE("an unwritable place is an output error and leaves nothing", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(write_safetensors(folder / "none/x", {{"t", at::ones({1})}}), OutputError);
  CHECK(std::filesystem::is_empty(folder.path()));
}
