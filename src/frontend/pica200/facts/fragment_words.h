// What a program of the fixed function reads of a launch: FragmentValues as words of the uniform table, memory
// of textures and tables, and slots of vertices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/pica200/facts/fragment.h"
#include "pixels/records.h"

namespace warpjit::pica200 {

inline constexpr std::uint32_t kTextureLevels = 16;  // that registers can name
inline constexpr std::uint32_t kLookUpWords = 16;    // of a table that LookUpUniform32 reads

struct TextureWords {
  std::uint32_t log_width = 0, log_height = 0;     // of level 0
  std::int32_t bias = 0, least = 0, greatest = 0;  // 1/256 of a level
  std::uint32_t border = 0;                        // red lowest
  std::uint32_t shadow_bias = 0;
  std::uint32_t faces_there = 0;  // bit n: face n has an address
  std::uint32_t last_level = 0;   // that is not too small
  std::array<std::uint32_t, 3> unused{};
  std::array<std::uint32_t, kLookUpWords> levels{};  // byte of each from that of level 0
  std::array<std::uint32_t, kLookUpWords> faces{};   // byte of each in the unit's memory
};

struct ProceduralWords {
  std::array<float, 2> amplitudes{}, phases{}, frequencies{};
  float scale = 0;  // |width * bias|, of a level of detail
  float least = 0, greatest = 0;
  std::uint32_t width = 0;
  std::array<std::uint32_t, 2> unused{};
  std::array<std::uint32_t, kLookUpWords> offsets{};  // of levels 0 to 7
};

struct LightWords {
  std::array<float, 3> specular0{}, specular1{}, diffuse{}, ambient{}, position{}, spot{};
  float distance_bias = 0, distance_scale = 0;
  std::uint32_t spot_table = 0, distance_table = 0;  // bytes from the begin of TableMemory
  std::array<std::uint32_t, 2> unused{};
};

// Follow the words that all fragment programs have. Colours have red in the lowest byte.
struct FragmentWords {
  std::array<std::uint32_t, kCombinerStages> constants{};
  std::uint32_t buffer = 0, fog_color = 0, blend_constant = 0;
  std::uint32_t alpha_reference = 0;
  std::uint32_t stencil_reference = 0, stencil_input_mask = 0, stencil_write_mask = 0;
  float depth_scale = 0, depth_offset = 0;
  float shadow_constant = 0, shadow_linear = 0;
  std::array<float, 3> ambient{};
  std::array<float, 4> box{};  // first and last column, first and last row of a scissor box
  std::array<std::uint32_t, kLookUpWords> etc_modifiers{};
  std::array<TextureWords, 3> textures;
  ProceduralWords procedural;
  std::array<LightWords, 8> lights;
};
static_assert(sizeof(FragmentWords) % 4 == 0);
inline constexpr std::size_t kFragmentWords = sizeof(FragmentWords) / 4;

// All but the textures' bytes of faces, which depend on where they lie in memory.
FragmentWords words_of(const FragmentSetup& setup);

// Tables as LoadTexelPair reads them.
struct TableMemory {
  struct Entry {
    float value = 0, difference = 0;
  };
  struct Color {
    std::uint32_t color = 0, difference = 0;
  };
  std::array<std::array<Entry, 256>, 24> lights{};
  std::array<Entry, 128> fog{}, noise{}, color_map{}, alpha_map{};
  std::array<Color, 256> colors{};
};
void fill(const FragmentTables& tables, TableMemory& memory);

// Slots of a vertex (pica200::Vertex) that rasterizers interpolate.
enum VertexSlot : std::uint8_t {
  kQuaternionSlot = 4,
  kColorSlot = 8,
  kCoordinates0Slot = 12,
  kCoordinates1Slot = 14,
  kCoordinatesWSlot = 16,
  kViewSlot = 18,
  kCoordinates2Slot = 22,
  kVertexSlots = 24,
};
// Where the coordinates of a texture unit begin.
VertexSlot coordinates_slot(const FragmentState& state, unsigned unit);
std::vector<pixels::SlotUse> slot_uses(const FragmentState& state);

// True if some unit's level of detail counts, or the procedural unit's: pixels then read their quads.
bool reads_quads(const FragmentState& state);
// Numbers of the memories that a program loads from: units that are on, ascending, then the tables.
struct FragmentMemories {
  std::array<std::uint8_t, 3> units{};
  std::uint8_t tables = 0;
  std::uint8_t count = 0;
  bool has_tables = false;
  explicit FragmentMemories(const FragmentState& state);
};

}  // namespace warpjit::pica200
