#include <cstring>

#include "base/text.h"
#include "frontend/pica200/container/shbin.h"
#include "frontend/pica200/container/shbin_layout.h"

namespace warpjit::pica200 {
namespace {

using namespace shbin;

constexpr std::size_t kMaxName = 4096;  // bytes

using text::hex;

// Reads little-endian numbers; out-of-range reads give 0 and are remembered as the first error.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Error fail(std::uint64_t offset, const char* field, std::string message) const {
    return {ErrorCode::bad_input, std::move(message), file_ + ", byte " + hex(offset) + " (" + field + ")"};
  }

  // Whether `count` entries of `size` bytes at `offset` lie in the file.
  Status range(std::uint64_t offset, std::uint64_t count, std::uint64_t size, const char* field) const {
    if (offset <= bytes_.size() && count <= (bytes_.size() - offset) / size) return {};
    return fail(offset, field,
                "the file ends at byte " + hex(bytes_.size()) + ", but this needs " + std::to_string(count) +
                    (size == 1 ? " bytes" : " entries of " + std::to_string(size) + " bytes"));
  }

  // Only inside what range() has allowed.
  std::uint32_t u8(std::uint64_t offset) const {
    return std::to_integer<std::uint32_t>(bytes_[static_cast<std::size_t>(offset)]);
  }
  std::uint32_t u16(std::uint64_t offset) const { return u8(offset) | u8(offset + 1) << 8; }
  std::uint32_t u32(std::uint64_t offset) const { return u16(offset) | u16(offset + 2) << 16; }

  Status expect_magic(std::uint64_t offset, std::uint32_t wanted, const char* name) const {
    if (u32(offset) == wanted) return {};
    return fail(offset, name,
                std::string("expected the magic number '") + name + "', found " + hex(u32(offset)));
  }

 private:
  std::span<const std::byte> bytes_;
  const std::string& file_;
};

// A table of a DVLE: offset and count are two words of its header.
struct Table {
  std::uint64_t offset = 0;
  std::uint32_t count = 0;
};

class DvleReader {
 public:
  DvleReader(const Reader& in, std::uint64_t base) : in_(in), base_(base) {}

  Result<ProgramInfo> read() {
    WARPJIT_CHECK(in_.range(base_, 1, kDvleSize, "DVLE"));
    WARPJIT_CHECK(in_.expect_magic(base_, kDvle, "DVLE"));
    WARPJIT_CHECK(header());
    WARPJIT_CHECK(table(0x38, 1, "symbol strings", strings_));
    WARPJIT_CHECK(constants());
    WARPJIT_CHECK(labels());
    WARPJIT_CHECK(outputs());
    WARPJIT_CHECK(symbols());
    for (const Label& label : info_.labels)
      if (label.address == info_.entry && info_.entry_name.empty()) info_.entry_name = label.name;
    return std::move(info_);
  }

 private:
  Status header() {
    info_.version = static_cast<std::uint16_t>(in_.u16(base_ + 4));
    const std::uint32_t type = in_.u8(base_ + 6);
    if (type > 1)
      return in_.fail(base_ + 6, "DVLE type",
                      "the type is " + std::to_string(type) + "; 0 is vertex, 1 geometry");
    info_.stage = static_cast<Stage>(type);
    info_.merge_output_maps = (in_.u8(base_ + 7) & 1) != 0;
    info_.entry = in_.u32(base_ + 8);
    info_.main_end = in_.u32(base_ + 0xC);
    if (info_.entry >= kMaxCodeWords)
      return in_.fail(base_ + 8, "DVLE entry", "the entry " + hex(info_.entry) + " is past 4095");
    info_.input_mask = static_cast<std::uint16_t>(in_.u16(base_ + 0x10));
    info_.output_mask = static_cast<std::uint16_t>(in_.u16(base_ + 0x12));
    const std::uint32_t mode = in_.u8(base_ + 0x14);
    if (info_.stage == Stage::geometry && mode > 2)
      return in_.fail(base_ + 0x14, "DVLE geometry mode",
                      "the mode is " + std::to_string(mode) + ", not 0 to 2");
    info_.geometry_mode = mode > 2 ? GeometryMode::point : static_cast<GeometryMode>(mode);
    info_.fixed_start = static_cast<std::uint8_t>(in_.u8(base_ + 0x15));
    info_.variable_vertices = static_cast<std::uint8_t>(in_.u8(base_ + 0x16));
    info_.fixed_vertices = static_cast<std::uint8_t>(in_.u8(base_ + 0x17));
    return {};
  }

  Status table(std::uint64_t field, std::size_t entry_size, const char* name, Table& out) const {
    out.offset = base_ + in_.u32(base_ + field);
    out.count = in_.u32(base_ + field + 4);
    if (out.count == 0) return {};  // an unused table may name any offset
    return in_.range(out.offset, out.count, entry_size, name);
  }

  Result<std::string> string(std::uint32_t offset, std::uint64_t field) const {
    std::string text;
    for (std::uint32_t at = offset; at < strings_.count; ++at) {
      const auto c = static_cast<char>(in_.u8(strings_.offset + at));
      if (c == 0) return text::visible(text);
      if (text.size() == kMaxName)
        return in_.fail(
            field, "name offset",
            "the name at " + hex(offset) + " is longer than " + std::to_string(kMaxName) + " bytes");
      text += c;
    }
    return in_.fail(field, "name offset",
                    "the name at " + hex(offset) + " does not end inside the symbol strings of " +
                        std::to_string(strings_.count) + " bytes");
  }

  Status constants() {
    Table t;
    WARPJIT_CHECK(table(0x18, kConstantSize, "constant table", t));
    constexpr RegisterFile kFiles[] = {RegisterFile::b, RegisterFile::i, RegisterFile::c};
    constexpr std::uint32_t kCounts[] = {16, 4, 96};
    for (std::uint32_t k = 0; k < t.count; ++k) {
      const std::uint64_t at = t.offset + std::uint64_t{k} * kConstantSize;
      const std::uint32_t type = in_.u16(at), reg = in_.u16(at + 2);
      if (type > 2)
        return in_.fail(at, "constant type", "the type is " + std::to_string(type) + ", not 0 to 2");
      if (reg >= kCounts[type])
        return in_.fail(at + 2, "constant register",
                        "there is no register " + std::to_string(reg) + " of this type");
      Constant constant;
      constant.reg = {kFiles[type], static_cast<std::uint8_t>(reg)};
      if (type == 0) constant.raw[0] = in_.u32(at + 4) & 1;
      for (unsigned j = 0; j < 4 && type == 1; ++j) constant.raw[j] = in_.u8(at + 4 + j);
      for (unsigned j = 0; j < 4 && type == 2; ++j) constant.raw[j] = in_.u32(at + 4 + j * 4) & 0xFFFFFF;
      info_.constants.push_back(constant);
    }
    return {};
  }

  Status labels() {
    Table t;
    WARPJIT_CHECK(table(0x20, kLabelSize, "label table", t));
    for (std::uint32_t k = 0; k < t.count; ++k) {
      const std::uint64_t at = t.offset + std::uint64_t{k} * kLabelSize;
      Label label;
      label.id = static_cast<std::uint8_t>(in_.u8(at));
      label.address = in_.u32(at + 4);
      label.unknown = in_.u32(at + 8);
      if (label.address > kMaxCodeWords)
        return in_.fail(at + 4, "label address", "the address " + hex(label.address) + " is past the code");
      WARPJIT_TRY(label.name, string(in_.u32(at + 12), at + 12));
      info_.labels.push_back(std::move(label));
    }
    return {};
  }

  Status outputs() {
    Table t;
    WARPJIT_CHECK(table(0x28, kOutputSize, "output table", t));
    for (std::uint32_t k = 0; k < t.count; ++k) {
      const std::uint64_t at = t.offset + std::uint64_t{k} * kOutputSize;
      Output output;
      output.semantic = static_cast<Semantic>(in_.u8(at));
      if (in_.u16(at) > 0xFF)
        return in_.fail(at, "output type", "there is no output type " + hex(in_.u16(at)));
      output.reg = static_cast<std::uint16_t>(in_.u16(at + 2));
      if (output.reg > 15)
        return in_.fail(at + 2, "output register", "there is no register o" + std::to_string(output.reg));
      output.mask = static_cast<std::uint8_t>(in_.u8(at + 4));
      info_.outputs.push_back(std::move(output));
    }
    return {};
  }

  Status symbols() {
    Table t;
    WARPJIT_CHECK(table(0x30, kSymbolSize, "uniform table", t));
    for (std::uint32_t k = 0; k < t.count; ++k) {
      const std::uint64_t at = t.offset + std::uint64_t{k} * kSymbolSize;
      Symbol symbol;
      WARPJIT_TRY(symbol.name, string(in_.u32(at), at));
      const auto first = symbol_register(static_cast<std::uint16_t>(in_.u16(at + 4)));
      const auto last = symbol_register(static_cast<std::uint16_t>(in_.u16(at + 6)));
      if (!first || !last || first->file != last->file || first->index > last->index)
        return in_.fail(at + 4, "uniform registers",
                        "'" + symbol.name + "' names the registers " + hex(in_.u16(at + 4)) + " to " +
                            hex(in_.u16(at + 6)));
      symbol.first = *first;
      symbol.last = last->index;
      info_.symbols.push_back(std::move(symbol));
    }
    return {};
  }

  const Reader& in_;
  std::uint64_t base_;
  ProgramInfo info_;
  Table strings_;
};

}  // namespace

Result<Container> read_shbin(std::span<const std::byte> bytes, const std::string& file_name) {
  const Reader in(bytes, file_name);
  Container container;
  container.source_name = file_name;

  WARPJIT_CHECK(in.range(0, 1, 8, "DVLB"));
  WARPJIT_CHECK(in.expect_magic(0, kDvlb, "DVLB"));
  const std::uint32_t programs = in.u32(4);
  if (programs > kMaxPrograms)
    return in.fail(4, "DVLB program count", std::to_string(programs) + " programs; the limit is 256");
  WARPJIT_CHECK(in.range(8, programs, 4, "DVLB program offsets"));

  const std::uint64_t dvlp = 8 + 4 * std::uint64_t{programs};
  WARPJIT_CHECK(in.range(dvlp, 1, kDvlpUsed, "DVLP"));
  WARPJIT_CHECK(in.expect_magic(dvlp, kDvlp, "DVLP"));
  const std::uint64_t code = dvlp + in.u32(dvlp + 8);
  const std::uint32_t code_words = in.u32(dvlp + 0xC);
  if (code_words > kMaxCodeWords)
    return in.fail(dvlp + 0xC, "DVLP code size", std::to_string(code_words) + " words; the limit is 4096");
  WARPJIT_CHECK(in.range(code, code_words, 4, "DVLP code"));
  const std::uint64_t table = dvlp + in.u32(dvlp + 0x10);
  const std::uint32_t descriptors = in.u32(dvlp + 0x14);
  if (descriptors > kMaxDescriptors)
    return in.fail(dvlp + 0x14, "DVLP descriptor count",
                   std::to_string(descriptors) + " entries; the limit is 128");
  WARPJIT_CHECK(in.range(table, descriptors, kDescriptorSize, "DVLP descriptors"));

  for (std::uint32_t k = 0; k < code_words; ++k) container.code.push_back(in.u32(code + k * 4));
  for (std::uint32_t k = 0; k < descriptors; ++k)
    container.descriptors.push_back(in.u32(table + k * kDescriptorSize));
  for (std::uint32_t k = 0; k < programs; ++k) {
    WARPJIT_TRY(ProgramInfo info, DvleReader(in, in.u32(8 + k * 4)).read());
    if (info.entry >= code_words)
      return in.fail(
          in.u32(8 + k * 4) + 8, "DVLE entry",
          "the entry " + hex(info.entry) + " is past the code of " + std::to_string(code_words) + " words");
    container.programs.push_back(std::move(info));
  }
  return container;
}

}  // namespace warpjit::pica200
