// The words of the shared corpus decode, and survive listing and assembling.
#include <filesystem>
#include <iterator>

#include "frontend/usse/container/gxp.h"

#include "support/source_dir.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

TEST(UsseSharedWords, ListedWords) {
  const std::filesystem::path folder = tests::shared_file("corpus/usse");
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "the shared corpus is not there";
  const auto list = read_listed_words((folder / "words.tsv").string());
  EXPECT_GT(list.size(), 1700U);
  unsigned odd = 0;
  for (const ListedWord& listed : list) {
    const auto decoded = decode(listed.word);
    ASSERT_TRUE(decoded.ok()) << listed.text << ": " << to_string(decoded.error());
    EXPECT_TRUE(survives(listed.word)) << listed.text;
    if (decoded->unused != 0) ++odd;
  }
  // All but two VPCK, which repeat their source where it is not read.
  EXPECT_LE(odd, 2U);
}

TEST(UsseSharedWords, Containers) {
  const std::filesystem::path folder = tests::shared_file("corpus/usse/gxp");
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "the shared corpus is not there";
  unsigned programs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".gxp") continue;
    SCOPED_TRACE(entry.path().string());
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const auto program = read_gxp(std::as_bytes(std::span(text)), entry.path().filename().string());
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    for (const auto* code : {&program->primary, &program->secondary})
      for (const std::uint64_t word : *code) EXPECT_TRUE(survives(word));
    const auto again = assemble(disassemble(*program), "again");
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    EXPECT_EQ(again->primary, program->primary);
    EXPECT_EQ(again->secondary, program->secondary);
    EXPECT_EQ(again->stage, program->stage);
    ++programs;
  }
  EXPECT_EQ(programs, 34U);
}

}  // namespace
}  // namespace warpjit::usse
