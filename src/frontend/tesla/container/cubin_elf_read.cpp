#include <map>

#include "base/text.h"
#include "frontend/tesla/container/cubin.h"

namespace warpjit::tesla {
namespace {

constexpr std::uint32_t kMachineCuda = 190, kSectionNull = 0, kSectionNoBits = 8;
constexpr std::size_t kMaxSections = 8192;

using text::hex;

struct Section {
  std::string name{};
  std::uint32_t type = 0, info = 0;
  std::uint64_t offset = 0, size = 0;
  std::uint64_t header = 0;  // where its header is, for messages

  // If so, they lie in the file.
  bool has_contents() const { return type != kSectionNull && type != kSectionNoBits; }
};

class ElfReader {
 public:
  ElfReader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {
    container_.source_name = file;
  }

  Result<Container> read() {
    WARPJIT_CHECK(header());
    WARPJIT_CHECK(sections());
    for (const Section& section : sections_)
      if (section.name.starts_with(".text.")) WARPJIT_CHECK(kernel(section));
    if (container_.programs.empty()) return fail(0, "sections", "there is no kernel (.text.NAME)");
    for (const Section& section : sections_) WARPJIT_CHECK(add_to_kernels(section));
    for (const Program& program : container_.programs) WARPJIT_CHECK(check_limits(program));
    return std::move(container_);
  }

 private:
  Error fail(std::uint64_t offset, const std::string& field, std::string message) const {
    return {ErrorCode::bad_input, std::move(message), file_ + ", byte " + hex(offset) + " (" + field + ")"};
  }
  bool in_file(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  // A little-endian number; only inside the file.
  std::uint64_t number(std::uint64_t offset, unsigned size) const {
    std::uint64_t value = 0;
    for (unsigned k = 0; k < size; ++k)
      value |= std::to_integer<std::uint64_t>(bytes_[static_cast<std::size_t>(offset + k)]) << (8 * k);
    return value;
  }
  // A field of a header whose offset differs between the two classes.
  std::uint64_t field(std::uint64_t base, unsigned at32, unsigned at64, unsigned size32,
                      unsigned size64) const {
    return is_64_ ? number(base + at64, size64) : number(base + at32, size32);
  }

  Status header() {
    if (!in_file(0, 16) || number(0, 4) != 0x464c457f) return fail(0, "ELF header", "this is no ELF file");
    const std::uint64_t elf_class = number(4, 1);
    if (elf_class != 1 && elf_class != 2) return fail(4, "class", "the class is neither 32 nor 64 bits");
    is_64_ = elf_class == 2;
    if (number(5, 1) != 1) return fail(5, "data", "the file is not little-endian");
    if (!in_file(0, is_64_ ? 64 : 52)) return fail(0, "ELF header", "the file ends inside its header");
    if (number(18, 2) != kMachineCuda)
      return fail(18, "machine", "the machine is " + hex(number(18, 2)) + ", CUDA is 0xbe");
    const std::uint32_t architecture = field(0, 36, 48, 4, 4) & 0xff;
    if (architecture < 10 || architecture > 13)
      return fail(is_64_ ? 48 : 36, "flags",
                  "the file is for sm_" + std::to_string(architecture) + ", not for sm_10 to sm_13");
    architecture_ = architecture;
    return {};
  }

  Status sections() {
    const std::uint64_t offset = field(0, 32, 40, 4, 8), entry_size = field(0, 46, 58, 2, 2),
                        count = field(0, 48, 60, 2, 2), names = field(0, 50, 62, 2, 2);
    const unsigned needed = is_64_ ? 64 : 40;
    if (entry_size < needed) return fail(is_64_ ? 58 : 46, "section header size", "it is " + hex(entry_size));
    if (count == 0 || count > kMaxSections)
      return fail(is_64_ ? 60 : 48, "section count", "it is " + std::to_string(count));
    if (!in_file(offset, count * entry_size))
      return fail(is_64_ ? 40 : 32, "section headers", "they are outside the file");
    if (names >= count)
      return fail(is_64_ ? 62 : 50, "name section", "there is no section " + std::to_string(names));
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t at = offset + k * entry_size;
      Section section{.type = static_cast<std::uint32_t>(number(at + 4, 4)),
                      .info = static_cast<std::uint32_t>(field(at, 28, 44, 4, 4)),
                      .offset = field(at, 16, 24, 4, 8),
                      .size = field(at, 20, 32, 4, 8),
                      .header = at};
      if (section.has_contents() && !in_file(section.offset, section.size))
        return fail(at, "section " + std::to_string(k), "its contents are outside the file");
      sections_.push_back(std::move(section));
    }
    const Section strings = sections_[static_cast<std::size_t>(names)];
    if (!strings.has_contents()) return fail(strings.header, "name section", "it has no contents");
    for (Section& section : sections_) {
      const std::uint64_t start = number(section.header, 4);
      std::uint64_t end = start;
      while (end < strings.size && number(strings.offset + end, 1) != 0) ++end;
      if (end >= strings.size || end - start > 1024)
        return fail(section.header, "section name", "it does not end in the name section");
      for (std::uint64_t k = start; k < end; ++k) {
        const auto c = static_cast<char>(number(strings.offset + k, 1));
        if (c <= ' ' || c > '~')
          return fail(section.header, "section name", "it has characters that do not print");
        section.name += c;
      }
    }
    return {};
  }

  Result<std::vector<std::uint32_t>> words(const Section& section, std::uint64_t most) const {
    if (!section.has_contents()) return std::vector<std::uint32_t>{};
    if (section.size % 4 != 0) return fail(section.header, section.name, "its size is no multiple of 4");
    if (section.size / 4 > most) return fail(section.header, section.name, "it is too large");
    std::vector<std::uint32_t> result(static_cast<std::size_t>(section.size / 4));
    for (std::size_t k = 0; k < result.size(); ++k)
      result[k] = static_cast<std::uint32_t>(number(section.offset + 4 * k, 4));
    return result;
  }

  Status kernel(const Section& section) {
    if (container_.programs.size() == kMaxKernels)
      return fail(section.header, section.name, "more than 1024 kernels");
    Program program;
    program.name = section.name.substr(6);
    program.source_name = file_;
    program.architecture = architecture_;
    program.registers = section.info >> 24;
    if (program.name.empty() || !kernel_of_name_.emplace(program.name, container_.programs.size()).second)
      return fail(section.header, section.name, "the kernel has no name of its own");
    WARPJIT_TRY(program.code, words(section, kMaxCodeWords));
    if (program.code.empty()) return fail(section.header, section.name, "the kernel has no code");
    container_.programs.push_back(std::move(program));
    return {};
  }

  // The kernel that ".nv.shared.NAME" is of; nullptr: none.
  Program* kernel_of(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return nullptr;
    const auto found = kernel_of_name_.find(std::string(name.substr(prefix.size())));
    return found == kernel_of_name_.end() ? nullptr : &container_.programs[found->second];
  }

  Status add_to_kernels(const Section& section) {
    const std::uint64_t size = section.size;
    if (Program* program = kernel_of(section.name, ".nv.shared.")) {
      if (size > kMaxSharedBytes)
        return fail(section.header, section.name, "more than 16 KiB of shared memory");
      program->shared_bytes = static_cast<std::uint32_t>(size);
    } else if (Program* owner = kernel_of(section.name, ".nv.local.")) {
      if (size > kMaxLocalBytes)
        return fail(section.header, section.name, "more than 64 KiB of local memory");
      owner->local_bytes = static_cast<std::uint32_t>(size);
    } else if (section.name.starts_with(".nv.constant")) {
      return constants(section);
    }
    return {};
  }

  // .nv.constant<N> of the module, .nv.constant<N>.<kernel>
  Status constants(const Section& section) {
    std::string_view rest = std::string_view(section.name).substr(12);
    std::uint32_t space = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && digits < 2 && rest[digits] >= '0' && rest[digits] <= '9'; ++digits)
      space = space * 10 + static_cast<std::uint32_t>(rest[digits] - '0');
    rest.remove_prefix(digits);
    if (digits == 0 || space >= kConstantSpaces || (!rest.empty() && rest[0] != '.'))
      return fail(section.header, section.name, "there are constant spaces 0 to 15");
    if (section.size > kMaxConstantBytes)
      return fail(section.header, section.name, "more than 64 KiB of constants");
    ConstantSegment segment{
        .name = section.name, .space = space, .bytes = static_cast<std::uint32_t>(section.size)};
    WARPJIT_TRY(segment.words, words(section, kMaxConstantBytes / 4));
    if (++segments_ > kMaxSegments) return fail(section.header, section.name, "too many constant sections");
    if (rest.empty()) {
      copied_constants_ += segment.words.size() * container_.programs.size();
      if (copied_constants_ > kMaxCopiedConstants)
        return fail(section.header, section.name, "too many constants for so many kernels");
      for (Program& program : container_.programs)
        program.constants.insert(program.constants.begin(), segment);
    } else if (Program* program = kernel_of(rest, ".")) {
      program->constants.push_back(std::move(segment));
    }
    return {};
  }

  static constexpr std::size_t kMaxSegments = 64;

  std::span<const std::byte> bytes_;
  const std::string& file_;
  bool is_64_ = false;
  std::uint32_t architecture_ = 0;
  std::vector<Section> sections_;
  Container container_;
  std::map<std::string, std::size_t> kernel_of_name_;
  std::size_t segments_ = 0, copied_constants_ = 0;
};

}  // namespace

Result<Container> read_elf_cubin(std::span<const std::byte> bytes, const std::string& file_name) {
  return ElfReader(bytes, file_name).read();
}

bool is_cubin(std::span<const std::byte> bytes) {
  constexpr std::size_t kMachine = 18;  // two bytes
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kElf))
    return bytes.size() < kMachine + 2 ||
           (bytes[kMachine] == std::byte{0xbe} && bytes[kMachine + 1] == std::byte{0});
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  for (const std::string_view key : {"architecture", "abiversion", "modname", "consts", "code"}) {
    if (!text.starts_with(key)) continue;
    const std::size_t next = text.find_first_not_of(" \t\r\n", key.size());
    return next != std::string_view::npos && text[next] == '{';
  }
  return false;
}

Result<Container> read_cubin(std::span<const std::byte> bytes, const std::string& file_name) {
  if (!bytes.empty() && bytes[0] == std::byte{0x7f}) return read_elf_cubin(bytes, file_name);
  return read_text_cubin({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file_name);
}

}  // namespace warpjit::tesla
