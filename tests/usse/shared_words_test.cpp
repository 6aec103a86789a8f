// The words of the shared corpus decode, and survive listing and assembling.
#include <filesystem>

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

}  // namespace
}  // namespace warpjit::usse
