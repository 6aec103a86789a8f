#include <cstdio>

#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/container/graphics_fields.h"

namespace warpjit::tesla {
namespace {

class TextWriter {
 public:
  std::string write(const Container& container) {
    if (!container.programs.empty() && container.programs[0].architecture != 0)
      text_ += "architecture {sm_" + std::to_string(container.programs[0].architecture) + "}\n";
    // A kernel's constants include its module's.
    // They are written with each kernel, so that they read back the same.
    for (const Program& program : container.programs) kernel(program);
    return std::move(text_);
  }

 private:
  void number(const char* key, std::uint32_t value) {
    text_ += std::string("\t") + key + " = " + std::to_string(value) + "\n";
  }

  void words(std::string_view key, const std::vector<std::uint32_t>& list) {
    text_ += "\t" + std::string(key) + " {";
    for (std::size_t k = 0; k < list.size(); ++k) {
      char word[16];
      std::snprintf(word, sizeof word, "0x%08x ", list[k]);
      text_ += k % 4 == 0 ? "\n\t\t" : "";
      text_ += word;
    }
    text_ += "\n\t}\n";
  }

  void kernel(const Program& program) {
    text_ += "code {\n";
    if (!program.name.empty()) text_ += "\tname = " + program.name + "\n";
    if (program.type != ProgramType::compute)
      text_ += "\ttype = " + std::string(warpjit::tesla::name(program.type)) + "\n";
    for (const GivenGraphicsField& given : given_graphics(program)) words(given.field->name, given.numbers);
    number("lmem", program.local_bytes);
    number("smem", program.shared_bytes);
    number("reg", program.registers);
    number("bar", program.barriers);
    words("bincode", program.code);
    for (const ConstantSegment& segment : program.constants) {
      text_ += "\tconst {\n";
      if (!segment.name.empty()) text_ += "\tname = " + segment.name + "\n";
      number("segnum", segment.space);
      number("offset", segment.offset);
      number("bytes", segment.bytes);
      words("mem", segment.words);
      text_ += "\t}\n";
    }
    text_ += "}\n";
  }

  std::string text_;
};

}  // namespace

std::string write_text_cubin(const Container& container) { return TextWriter().write(container); }

}  // namespace warpjit::tesla
