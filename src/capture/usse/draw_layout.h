// Where numbers of the section of a draw lie (docs/captures.md): a header, tables, and bytes that these place.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpjit::usse::layout {

inline constexpr std::uint32_t kRegion = 1, kBlend = 2, kDepthWrite = 4, kStencil = 8, kTwoSided = 16;

// In the header.
inline constexpr std::size_t kScene = 0, kPrimitive = 4, kCull = 8, kInstances = 12, kViewport = 16,
                             kFlags = 40, kRegionEdges = 44, kBlendBytes = 60, kDepthCompare = 68,
                             kFront = 72, kBack = 80, kIndexBytes = 88, kIndexCount = 92, kIndexPlace = 96,
                             kStreams = 104, kAttributes = 108, kMemoryPieces = 112, kVertexStage = 120,
                             kFragmentStage = 152, kHeader = 184;
// In a stage of the header.
inline constexpr std::size_t kProgram = 0, kUniforms = 4, kBuffers = 8, kTextures = 12, kDefaultWords = 16,
                             kDefaultPlace = 24;
// Bytes of a table's row.
inline constexpr std::size_t kStream = 32, kAttribute = 16, kMemory = 16, kUniform = 24, kBuffer = 24,
                             kTexture = 24;

}  // namespace warpjit::usse::layout
