#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/interpret/interpret.h"
#include "support/elf_cubin.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// Two kernels in the form that CUDA 1.x wrote; the second has no sm_10 oddities but a zero word without 0x.
const std::string kText =
    "architecture {sm_10}\nabiversion {1}\nmodname {cubin}\n"
    "consts  {\n\tname = table\n\tsegname = const\n\tsegnum = 0\n\toffset = 8\n\tbytes = 12\n"
    "\tmem  {\n\t\t0x00000001 0000000000 \n\t}\n}\n"
    "sampler {\n\tname = ref2\n\ttexunit = 1\n}\n"
    "code  {\n\tname = first\n\tlmem = 4\n\tsmem = 24\n\treg = 2\n\tbar = 0\n"
    "\tbincode  {\n\t\t0x10008200 0x10008004 0xf0000001 0xe0000781 \n\t}\n"
    "\tconst  {\n\t\tsegname = const\n\t\tsegnum = 1\n\t\toffset = 0\n\t\tbytes = 4\n"
    "\t\tmem  {\n\t\t\t0x4048f5c3 \n\t\t}\n\t}\n}\n"
    "code  {\n\tname = second\n\tlmem = 0\n\tsmem = 16\n\treg = 1\n\tbar = 1\n"
    "\tbincode  {\n\t\t0x861ffe03 0000000000 0xf0000001 0xe0000781 \n\t}\n}\n";

TEST(TeslaTextCubin, Reads) {
  const auto container = read_cubin(bytes_of(kText), "a.cubin");
  ASSERT_TRUE(container.ok()) << to_string(container.error());
  ASSERT_EQ(container->programs.size(), 2U);
  const Program& first = container->programs[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.architecture, 10U);
  EXPECT_EQ(first.registers, 2U);
  EXPECT_EQ(first.local_bytes, 4U);
  EXPECT_EQ(first.shared_bytes, 24U);
  ASSERT_EQ(first.constants.size(), 2U);
  EXPECT_EQ(first.constants[0].name, "table");
  EXPECT_EQ(first.constants[0].offset, 8U);
  EXPECT_EQ(first.constants[0].bytes, 12U);
  EXPECT_EQ(first.constants[0].words, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(first.constants[1].space, 1U);
  EXPECT_EQ(first.constants[1].words, (std::vector<std::uint32_t>{0x4048f5c3}));
  EXPECT_EQ(container->programs[1].code, (std::vector<std::uint32_t>{0x861ffe03, 0, 0xf0000001, 0xe0000781}));
  EXPECT_EQ(container->programs[1].constants.size(), 1U);
}

TEST(TeslaTextCubin, WrittenFilesReadBack) {
  const auto container = read_text_cubin(kText, "a.cubin");
  ASSERT_TRUE(container.ok());
  const std::string text = write_text_cubin(*container);
  const auto again = read_text_cubin(text, "a.cubin");
  ASSERT_TRUE(again.ok()) << to_string(again.error()) << text;
  EXPECT_EQ(again->programs, container->programs);
}

TEST(TeslaTextCubin, TruncatedFiles) {
  for (std::size_t size = 0; size < kText.size(); ++size) {
    const auto container = read_text_cubin(std::string_view(kText).substr(0, size), "a.cubin");
    if (!container) {
      EXPECT_TRUE(container.error().where.starts_with("a.cubin:")) << container.error().where;
      EXPECT_FALSE(container.error().message.empty());
    }
  }
}

TEST(TeslaTextCubin, Errors) {
  const auto message = [](const std::string& text) {
    const auto result = read_text_cubin(text, "a.cubin");
    return result ? std::string("read") : to_string(result.error());
  };
  EXPECT_EQ(message(""), "a.cubin:1:1: there is no kernel ('code' block)");
  EXPECT_EQ(message("architecture {sm_20}"), "a.cubin:1:15: expected sm_10 to sm_13, found 'sm_20'");
  EXPECT_EQ(message("code {\nname = a\n}"), "a.cubin:2:1: the kernel has no code ('bincode')");
  EXPECT_EQ(message("code { bincode { 0x12345678 zz } }"),
            "a.cubin:1:29: expected a hexadecimal word, found 'zz'");
  EXPECT_EQ(message("code { reg = 200 bincode { 0x0 } }"), "a.cubin: registers: 200, at most 128");
  EXPECT_EQ(message("code { smem = 99999999999 }"), "a.cubin:1:15: expected a number, found '99999999999'");
  EXPECT_EQ(message("code { const { segnum = 16 } }"),
            "a.cubin:1:28: there are 16 constant segments, this is number 16");
  EXPECT_EQ(message("code { const { offset = 65536 bytes = 1 } }"),
            "a.cubin:1:41: the constants end above 64 KiB");
  EXPECT_EQ(message("a{b{c{d{e{f{g{h{i{j{k{"), "a.cubin:1:19: blocks are nested too deeply");
  EXPECT_EQ(message("reloc {"), "a.cubin:1:8: the block 'reloc' does not end");
}

Container example() {
  Container container;
  Program program;
  program.name = "first";
  program.code = {0x10008200, 0x10008004, 0xf0000001, 0xe0000781};
  program.registers = 7;
  program.shared_bytes = 0x120;
  program.local_bytes = 16;
  program.constants.push_back({.name = "x", .space = 1, .bytes = 8, .words = {5, 6}});
  container.programs = {program, program};
  container.programs[1].name = "second.kernel";
  return container;
}

TEST(TeslaElfCubin, Reads) {
  for (const bool is_64 : {false, true}) {
    const auto container = read_cubin(tests::write_elf_cubin(example(), {.is_64 = is_64}), "a.cubin");
    ASSERT_TRUE(container.ok()) << to_string(container.error());
    ASSERT_EQ(container->programs.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
      const Program& program = container->programs[k];
      const Program wanted = example().programs[k];
      EXPECT_EQ(program.name, wanted.name);
      EXPECT_EQ(program.code, wanted.code);
      EXPECT_EQ(program.registers, 7U);
      EXPECT_EQ(program.shared_bytes, 0x120U);
      EXPECT_EQ(program.local_bytes, 16U);
      EXPECT_EQ(program.architecture, 12U);
      ASSERT_EQ(program.constants.size(), 1U);
      EXPECT_EQ(program.constants[0].space, 1U);
      EXPECT_EQ(program.constants[0].words, (std::vector<std::uint32_t>{5, 6}));
    }
  }
}

TEST(TeslaElfCubin, TruncatedAndChangedFiles) {
  for (const bool is_64 : {false, true}) {
    const std::vector<std::byte> bytes = tests::write_elf_cubin(example(), {.is_64 = is_64});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      const auto container = read_elf_cubin(cut, "a.cubin");
      EXPECT_FALSE(container.ok()) << size;
      EXPECT_TRUE(container.ok() || container.error().where.starts_with("a.cubin, byte "));
    }
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (const unsigned value : {0U, 1U, 0x7fU, 0x80U, 0xffU}) {
        std::vector<std::byte> changed = bytes;
        changed[at] = static_cast<std::byte>(value);
        const auto container = read_cubin(changed, "a.cubin");
        EXPECT_TRUE(container.ok() || !container.error().message.empty());
      }
  }
}

TEST(TeslaElfCubin, Errors) {
  const auto container = read_elf_cubin(tests::write_elf_cubin(example(), {.architecture = 20}), "a.cubin");
  ASSERT_FALSE(container.ok());
  EXPECT_EQ(to_string(container.error()),
            "a.cubin, byte 0x24 (flags): the file is for sm_20, not for sm_10 to sm_13");
}

TEST(TeslaWords, Reads) {
  const std::string bytes("\x01\x02\x03\x04\x05\x06\x07\x08", 8);
  const auto program = read_words(bytes_of(bytes), ProgramType::compute, "a.bin");
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->code, (std::vector<std::uint32_t>{0x04030201, 0x08070605}));
  EXPECT_FALSE(read_words(bytes_of(bytes).first(7), ProgramType::compute, "a.bin"));
  EXPECT_FALSE(read_words({}, ProgramType::compute, "a.bin"));
}

TEST(TeslaSharedCubin, EveryKernel) {
  const std::string folder = shared_folder();
  if (folder.empty()) GTEST_SKIP() << "the shared corpus is not there";
  int kernels = 0;
  for (const std::string& line : split(read_text(folder + "/kernels/index.tsv"), '\n')) {
    const auto columns = split(line, '\t');
    if (columns.size() < 11 || line[0] == '#') continue;
    const std::string name = columns[0].substr(columns[0].find('/') + 1);
    const std::string text = read_text(folder + "/kernels/" + name + ".cubin");
    const auto container = read_cubin(bytes_of(text), name);
    ASSERT_TRUE(container.ok()) << to_string(container.error());
    const auto selected = select_program(*container, columns[5]);
    ASSERT_TRUE(selected.ok());
    const Program& program = *selected;
    EXPECT_EQ(std::to_string(program.shared_bytes), columns[7]);
    EXPECT_EQ(std::to_string(program.registers), columns[8]);
    EXPECT_EQ(std::to_string(program.code.size()), columns[10]);
    for (std::uint32_t address = 0; address < 4 * program.code.size();) {
      const auto instruction = decode(program.type, program.code, address, name);
      ASSERT_TRUE(instruction) << to_string(instruction.error());
      address += 4 * instruction->words();
    }
    EXPECT_TRUE(Interpreter::prepare(program).ok()) << name;
    Program again = program_of(disassemble(program));
    EXPECT_EQ(again.code, program.code);
    ++kernels;
  }
  EXPECT_EQ(kernels, 47);
}

}  // namespace
}  // namespace warpjit::tesla
