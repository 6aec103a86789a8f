// The words of the shared corpus: the listing is the one given there, and assembling it gives the words.
#include <filesystem>
#include <iterator>

#include "support/source_dir.h"
#include "valhall/valhall_test.h"

namespace warpjit::valhall {
namespace {

std::filesystem::path shared_folder() {
  const std::filesystem::path folder = tests::shared_file("corpus/valhall");
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

TEST(ValhallSharedWords, Cases) {
  const auto folder = shared_folder();
  if (folder.empty()) GTEST_SKIP() << "the shared corpus is not there";
  const auto cases = read_listed_words((folder / "asm-cases.tsv").string(), 1);
  EXPECT_GT(cases.size(), 100U);
  for (const ListedWord& listed : cases) expect_listed(listed);
}

// "7d 00 00 12 04 80 5c 68    LD_VAR_BUF_IMM.f32 ...": bytes, then the text.
std::optional<ListedWord> listed_line(std::string line) {
  constexpr std::size_t kBytes = 8;
  if (line.size() < 3 * kBytes || line[2] != ' ') return {};
  ListedWord listed;
  for (std::size_t k = 0; k < kBytes; ++k)
    listed.word |= static_cast<std::uint64_t>(std::strtoul(line.substr(3 * k, 2).c_str(), nullptr, 16))
                   << 8 * k;
  const std::size_t begin = line.find_first_not_of(' ', 3 * kBytes);
  listed.text = line.substr(begin, line.find_last_not_of(" \r") + 1 - begin);
  return listed;
}

TEST(ValhallSharedWords, Listings) {
  const auto folder = shared_folder();
  if (folder.empty()) GTEST_SKIP() << "the shared corpus is not there";
  std::size_t words = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".dis") continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);)
      if (const auto listed = listed_line(line)) {
        SCOPED_TRACE(entry.path().string());
        expect_listed(*listed);
        ++words;
      }
  }
  EXPECT_GT(words, 1400U);
}

TEST(ValhallSharedWords, Binaries) {
  const auto folder = shared_folder();
  if (folder.empty()) GTEST_SKIP() << "the shared corpus is not there";
  std::size_t binaries = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    SCOPED_TRACE(entry.path().string());
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const auto program = read_words(std::as_bytes(std::span(text)), Stage::vertex, entry.path().string());
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    for (std::size_t k = 0; k < program->code.size(); ++k) {
      const auto instruction = decode(program->code, 8 * k, program->source_name);
      ASSERT_TRUE(instruction.ok()) << to_string(instruction.error());
      EXPECT_TRUE(instruction->unused == 0 || instruction->raw == 0) << disassemble(*instruction);
      EXPECT_TRUE(check_operands(*instruction).ok()) << disassemble(*instruction);
    }
    const auto again = assemble(disassemble(*program), program->source_name);
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    EXPECT_EQ(again->code, program->code);
    ++binaries;
  }
  EXPECT_GT(binaries, 40U);
}

}  // namespace
}  // namespace warpjit::valhall
