#include "support/elf_cubin.h"

#include <string>

namespace warpjit::tests {
namespace {

constexpr unsigned kProgBits = 1, kStrings = 3, kNoBits = 8;

class Writer {
 public:
  explicit Writer(const ElfCubinOptions& options) : options_(options) { add_section("", 0, 0, {}, 0); }

  void add_section(const std::string& name, unsigned type, unsigned info, std::vector<std::byte> contents,
                   std::size_t size) {
    sections_.push_back({names_.size(), type, info, std::move(contents), size});
    names_ += name;
    names_ += '\0';
  }

  std::vector<std::byte> finish() {
    std::vector<std::byte> strings;
    const std::size_t name_of_names = names_.size();
    names_ += ".shstrtab";
    names_ += '\0';
    for (const char c : names_) strings.push_back(static_cast<std::byte>(c));
    sections_.push_back({name_of_names, kStrings, 0, strings, strings.size()});

    const bool is_64 = options_.is_64;
    const std::size_t header = is_64 ? 64 : 52, entry = is_64 ? 64 : 40;
    std::size_t offset = header;
    std::vector<std::size_t> offsets;
    for (const Section& section : sections_) {
      offsets.push_back(offset);
      offset += section.contents.size();
    }
    number(0x464c457f, 4);
    number(is_64 ? 2 : 1, 1);
    number(1, 1);
    number(1, 1);
    number(0x33, 1);
    number(0, 8);
    number(2, 2);
    number(190, 2);
    number(1, 4);
    number(0, wide());       // entry
    number(0, wide());       // program headers
    number(offset, wide());  // section headers
    number(options_.architecture, 4);
    number(header, 2);
    number(0, 4);
    number(entry, 2);
    number(sections_.size(), 2);
    number(sections_.size() - 1, 2);
    for (const Section& section : sections_)
      bytes_.insert(bytes_.end(), section.contents.begin(), section.contents.end());
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      const Section& section = sections_[k];
      number(section.name, 4);
      number(section.type, 4);
      number(0, wide());  // flags
      number(0, wide());  // address
      number(offsets[k], wide());
      number(section.size, wide());
      number(0, 4);  // link
      number(section.info, 4);
      number(4, wide());
      number(0, wide());
    }
    return std::move(bytes_);
  }

 private:
  struct Section {
    std::size_t name;
    unsigned type, info;
    std::vector<std::byte> contents;
    std::size_t size;
  };

  unsigned wide() const { return options_.is_64 ? 8 : 4; }
  void number(std::uint64_t value, unsigned size) {
    for (unsigned k = 0; k < size; ++k) bytes_.push_back(static_cast<std::byte>(value >> (8 * k) & 0xff));
  }

  const ElfCubinOptions& options_;
  std::string names_;
  std::vector<Section> sections_;
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::byte> bytes;
  for (const std::uint32_t word : words)
    for (unsigned k = 0; k < 4; ++k) bytes.push_back(static_cast<std::byte>(word >> (8 * k) & 0xff));
  return bytes;
}

}  // namespace

std::vector<std::byte> write_elf_cubin(const tesla::Container& container, const ElfCubinOptions& options) {
  Writer writer(options);
  for (const tesla::Program& program : container.programs) {
    writer.add_section(".text." + program.name, kProgBits, program.registers << 24, bytes_of(program.code),
                       4 * program.code.size());
    if (program.shared_bytes != 0)
      writer.add_section(".nv.shared." + program.name, kNoBits, 0, {}, program.shared_bytes);
    if (program.local_bytes != 0)
      writer.add_section(".nv.local." + program.name, kNoBits, 0, {}, program.local_bytes);
    for (const tesla::ConstantSegment& segment : program.constants)
      writer.add_section(".nv.constant" + std::to_string(segment.space) + "." + program.name, kProgBits, 0,
                         bytes_of(segment.words), 4 * segment.words.size());
  }
  return writer.finish();
}

}  // namespace warpjit::tests
