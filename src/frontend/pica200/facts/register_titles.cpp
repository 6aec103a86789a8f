#include "frontend/pica200/facts/register_titles.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "frontend/pica200/facts/fragment.h"

namespace warpjit::pica200 {

namespace {

struct Title {
  std::uint16_t first = 0, last = 0;
  std::string_view text;  // # is the register's place within the range, from 0
};

constexpr std::array kTitles = {
    Title{0x010, 0x01F, "interrupt request"},
    Title{0x040, 0x040, "culling"},
    Title{0x041, 0x041, "viewport half width"},
    Title{0x042, 0x042, "viewport 2 / width"},
    Title{0x043, 0x043, "viewport half height"},
    Title{0x044, 0x044, "viewport 2 / height"},
    Title{0x047, 0x047, "user clip plane on"},
    Title{0x048, 0x04B, "user clip plane factor #"},
    Title{0x04D, 0x04D, "depth scale"},
    Title{0x04E, 0x04E, "depth offset"},
    Title{0x04F, 0x04F, "number of mapped outputs"},
    Title{0x050, 0x056, "semantics of output #"},
    Title{0x058, 0x058, "flat primary colour"},
    Title{0x060, 0x060, "skipped pixels"},
    Title{0x061, 0x061, "early depth function"},
    Title{0x062, 0x062, "early depth on"},
    Title{0x063, 0x063, "clear early depth"},
    Title{0x064, 0x064, "texture coordinates in use"},
    Title{0x065, 0x065, "scissor mode"},
    Title{0x066, 0x066, "scissor box, lower left"},
    Title{0x067, 0x067, "scissor box, upper right"},
    Title{0x068, 0x068, "viewport corner"},
    Title{0x06A, 0x06A, "early depth clear value"},
    Title{0x06D, 0x06D, "z or w buffer"},
    Title{0x06E, 0x06E, "target size, copy"},
    Title{0x06F, 0x06F, "attribute clocks"},
    Title{0x080, 0x080, "texture units on"},
    Title{0x081, 0x081, "texture 0 border colour"},
    Title{0x082, 0x082, "texture 0 size"},
    Title{0x083, 0x083, "texture 0 type, filters, wraps"},
    Title{0x084, 0x084, "texture 0 levels"},
    Title{0x085, 0x085, "texture 0 address"},
    Title{0x086, 0x08A, "texture 0 address of cube face # + 1"},
    Title{0x08B, 0x08B, "texture 0 shadow bias"},
    Title{0x08E, 0x08E, "texture 0 format"},
    Title{0x08F, 0x08F, "lighting on"},
    Title{0x091, 0x091, "texture 1 border colour"},
    Title{0x092, 0x092, "texture 1 size"},
    Title{0x093, 0x093, "texture 1 filters, wraps"},
    Title{0x094, 0x094, "texture 1 levels"},
    Title{0x095, 0x095, "texture 1 address"},
    Title{0x096, 0x096, "texture 1 format"},
    Title{0x099, 0x099, "texture 2 border colour"},
    Title{0x09A, 0x09A, "texture 2 size"},
    Title{0x09B, 0x09B, "texture 2 filters, wraps"},
    Title{0x09C, 0x09C, "texture 2 levels"},
    Title{0x09D, 0x09D, "texture 2 address"},
    Title{0x09E, 0x09E, "texture 2 format"},
    Title{0x0A8, 0x0A8, "procedural clamps, functions, shifts"},
    Title{0x0A9, 0x0A9, "procedural noise in u"},
    Title{0x0AA, 0x0AA, "procedural noise in v"},
    Title{0x0AB, 0x0AB, "procedural noise frequencies"},
    Title{0x0AC, 0x0AC, "procedural filter, levels, width"},
    Title{0x0AD, 0x0AD, "procedural offsets of levels 0 to 3"},
    Title{0x0AE, 0x0AE, "procedural offsets of levels 4 to 7"},
    Title{0x0AF, 0x0AF, "procedural table and index"},
    Title{0x0B0, 0x0B7, "procedural table data"},
    Title{0x0E0, 0x0E0, "fog mode, combiner buffer updates"},
    Title{0x0E1, 0x0E1, "fog colour"},
    Title{0x0E4, 0x0E4, "gas attenuation"},
    Title{0x0E5, 0x0E5, "gas maximum"},
    Title{0x0E6, 0x0E6, "fog table index"},
    Title{0x0E8, 0x0EF, "fog table data"},
    Title{0x0FD, 0x0FD, "combiner buffer colour"},
    Title{0x100, 0x100, "fragment mode, blending on"},
    Title{0x101, 0x101, "blending"},
    Title{0x102, 0x102, "logic operation"},
    Title{0x103, 0x103, "blend constant"},
    Title{0x104, 0x104, "alpha test"},
    Title{0x105, 0x105, "stencil test"},
    Title{0x106, 0x106, "stencil operations"},
    Title{0x107, 0x107, "depth test, write masks"},
    Title{0x110, 0x110, "drop the target cache"},
    Title{0x111, 0x111, "write the target cache back"},
    Title{0x112, 0x112, "colour target readable"},
    Title{0x113, 0x113, "colour target writable"},
    Title{0x114, 0x114, "depth target readable"},
    Title{0x115, 0x115, "depth target writable"},
    Title{0x116, 0x116, "depth format"},
    Title{0x117, 0x117, "colour format"},
    Title{0x118, 0x118, "early depth on, copy"},
    Title{0x11B, 0x11B, "blocks of the targets"},
    Title{0x11C, 0x11C, "depth target address"},
    Title{0x11D, 0x11D, "colour target address"},
    Title{0x11E, 0x11E, "target size"},
    Title{0x120, 0x126, "gas"},
    Title{0x130, 0x130, "shadow penumbra"},
    Title{0x1C0, 0x1C0, "global ambient colour"},
    Title{0x1C2, 0x1C2, "number of lights"},
    Title{0x1C3, 0x1C3, "lighting configuration"},
    Title{0x1C4, 0x1C4, "parts of lighting that are off"},
    Title{0x1C5, 0x1C5, "light table and index"},
    Title{0x1C6, 0x1C6, "lighting off"},
    Title{0x1C8, 0x1CF, "light table data"},
    Title{0x1D0, 0x1D0, "signs of light table inputs"},
    Title{0x1D1, 0x1D1, "inputs of light tables"},
    Title{0x1D2, 0x1D2, "scales of light tables"},
    Title{0x1D9, 0x1D9, "lights by slot"},
    Title{0x200, 0x200, "attribute base address"},
    Title{0x201, 0x202, "attribute formats #"},
    Title{0x227, 0x227, "index list"},
    Title{0x228, 0x228, "number of vertices"},
    Title{0x229, 0x229, "geometry stage"},
    Title{0x22A, 0x22A, "first vertex"},
    Title{0x22E, 0x22E, "draw arrays"},
    Title{0x22F, 0x22F, "draw elements"},
    Title{0x231, 0x231, "clear the vertex cache"},
    Title{0x232, 0x232, "fixed attribute index"},
    Title{0x233, 0x235, "fixed attribute data"},
    Title{0x238, 0x239, "size of list #"},
    Title{0x23A, 0x23B, "address of list #"},
    Title{0x23C, 0x23D, "jump to list #"},
    Title{0x242, 0x242, "attributes of immediate mode"},
    Title{0x244, 0x244, "geometry unit sharing"},
    Title{0x245, 0x245, "configuration or draw"},
    Title{0x24A, 0x24A, "vertex outputs"},
    Title{0x251, 0x251, "vertex outputs, copy"},
    Title{0x252, 0x252, "geometry mode"},
    Title{0x253, 0x253, "around a draw"},
    Title{0x254, 0x254, "full vertices of a primitive"},
    Title{0x25E, 0x25E, "topology"},
    Title{0x25F, 0x25F, "restart primitives"},
};

constexpr std::array<std::string_view, 12> kLightParts = {
    "specular 0", "specular 1", "diffuse", "ambient",       "position x, y", "position z",
    "spot x, y",  "spot z",     "",        "configuration", "distance bias", "distance scale"};
constexpr std::array<std::string_view, 5> kStageParts = {"sources", "operands", "operations", "constant",
                                                         "scales"};

// A shader unit's registers, from its first one on.
std::string_view unit_title(std::uint32_t place) {
  if (place == 0) return "booleans";
  if (place >= 1 && place <= 4) return "integers";
  if (place == 9) return "inputs";
  if (place == 10) return "entry point";
  if (place == 11 || place == 12) return "input map";
  if (place == 13) return "output mask";
  if (place == 15) return "end of the upload";
  if (place == 16) return "float uniform index";
  if (place >= 17 && place <= 24) return "float uniform data";
  if (place == 27) return "code index";
  if (place >= 28 && place <= 35) return "code data";
  if (place == 37) return "descriptor index";
  if (place >= 38 && place <= 45) return "descriptor data";
  return {};
}

}  // namespace

std::string register_title(std::uint32_t id) {
  for (std::size_t stage = 0; stage < kStageIds.size(); ++stage)
    if (id - kStageIds[stage] < kStageParts.size())
      return std::string(kStageParts[id - kStageIds[stage]]) + " of combiner " + std::to_string(stage);
  if (id >= 0x140 && id < 0x1C0) {
    const std::uint32_t part = id % 16;
    if (part >= kLightParts.size() || kLightParts[part].empty()) return {};
    return std::string(kLightParts[part]) + " of light " + std::to_string((id - 0x140) / 16);
  }
  if (id >= 0x203 && id < 0x227) {
    constexpr std::array<std::string_view, 3> kLoader = {"offset", "attributes 0 to 7",
                                                         "attributes 8 to 11, stride"};
    return std::string(kLoader[(id - 0x203) % 3]) + " of loader " + std::to_string((id - 0x203) / 3);
  }
  for (const std::uint32_t unit : {0x280U, 0x2B0U})
    if (id >= unit && id < unit + 0x30) {
      const std::string_view part = unit_title(id - unit);
      if (part.empty()) return {};
      return std::string(unit == 0x280 ? "geometry unit: " : "vertex unit: ") + std::string(part);
    }
  const auto found = std::ranges::find_if(
      kTitles, [&](const Title& title) { return id >= title.first && id <= title.last; });
  if (found == kTitles.end()) return {};
  std::string text(found->text);
  if (const std::size_t at = text.find('#'); at != std::string::npos)
    text.replace(at, 1, std::to_string(id - found->first));
  return text;
}

std::string with_register_titles(std::string_view text) {
  constexpr std::string_view kBefore = "register 0x";
  constexpr std::size_t kDigits = 3;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = text.find(kBefore, at);
    const std::size_t end = found == std::string_view::npos ? found : found + kBefore.size() + kDigits;
    if (end > text.size()) return result.append(text.substr(at));
    result.append(text.substr(at, end - at));
    const auto id = text::parse_hexadecimal(text.substr(end - kDigits, kDigits));
    const std::string title = id ? register_title(static_cast<std::uint32_t>(*id)) : std::string();
    if (!title.empty()) result += " (" + title + ")";
    at = end;
  }
  return result;
}

}  // namespace warpjit::pica200
