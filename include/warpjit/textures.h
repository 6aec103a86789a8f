/* Textures and samplers in C, of launches of all programs. warpjit.h has the conventions; docs/textures.md
 * has the exact rules.
 */
#ifndef WARPJIT_TEXTURES_H
#define WARPJIT_TEXTURES_H

#include "warpjit/pixels.h"
#include "warpjit/warpjit.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WARPJIT_TEXTURE_1D = 0,
  WARPJIT_TEXTURE_2D = 1,
  WARPJIT_TEXTURE_3D = 2,
  WARPJIT_TEXTURE_CUBE = 3, /* six layers: +x, -x, +y, -y, +z, -z */
  WARPJIT_TEXTURE_BUFFER = 4
};
enum {
  WARPJIT_LAYOUT_LINEAR = 0,
  WARPJIT_LAYOUT_BLOCK_LINEAR = 1,  /* Tesla */
  WARPJIT_LAYOUT_U_INTERLEAVED = 2, /* Mali */
  WARPJIT_LAYOUT_MORTON = 3         /* Vita */
};
enum {
  WARPJIT_TEXEL_NONE = 0,
  WARPJIT_TEXEL_UNORM = 1,
  WARPJIT_TEXEL_SNORM = 2,
  WARPJIT_TEXEL_UINT = 3,
  WARPJIT_TEXEL_SINT = 4,
  WARPJIT_TEXEL_FLOAT = 5,
  WARPJIT_TEXEL_SHARED_EXPONENT = 6,
  WARPJIT_TEXEL_USCALED = 7, /* up to 24 bits: the integer, as a float */
  WARPJIT_TEXEL_SSCALED = 8
};
enum {
  WARPJIT_SOURCE_RED = 0,
  WARPJIT_SOURCE_GREEN = 1,
  WARPJIT_SOURCE_BLUE = 2,
  WARPJIT_SOURCE_ALPHA = 3,
  WARPJIT_SOURCE_ZERO = 4,
  WARPJIT_SOURCE_ONE = 5,
  WARPJIT_SOURCE_INTEGER_ONE = 6
};
enum {
  WARPJIT_WRAP_REPEAT = 0,
  WARPJIT_WRAP_MIRROR = 1,
  WARPJIT_WRAP_CLAMP_TO_EDGE = 2,
  WARPJIT_WRAP_CLAMP_TO_BORDER = 3,
  WARPJIT_WRAP_CLAMP = 4, /* linear filters mix half of the border in */
  WARPJIT_WRAP_MIRROR_ONCE_TO_EDGE = 5,
  WARPJIT_WRAP_MIRROR_ONCE_TO_BORDER = 6,
  WARPJIT_WRAP_MIRROR_ONCE = 7
};
enum { WARPJIT_FILTER_NEAREST = 0, WARPJIT_FILTER_LINEAR = 1 };
enum { WARPJIT_MIP_NONE = 0, WARPJIT_MIP_NEAREST = 1, WARPJIT_MIP_LINEAR = 2 };

typedef struct warpjit_texel_component {
  uint8_t type; /* WARPJIT_TEXEL_... */
  uint8_t first_bit, bits;
  uint8_t reserved; /* 0 */
} warpjit_texel_component;
typedef struct warpjit_texture_format {
  size_t size;
  uint32_t bytes; /* of a texel, or of a block */
  uint32_t srgb;  /* r, g and b are encoded by the sRGB curve */
  warpjit_texel_component components[4];
  uint32_t compression; /* as warpjit_find_texture_format gives it; 0: none */
  uint32_t block_width, block_height;
  uint32_t reserved; /* 0 */
} warpjit_texture_format;
/* [any] "rgba8", "rg16f", "rgb565", "bc3", "astc-6x5-srgb" ... */
WARPJIT_API warpjit_status warpjit_find_texture_format(const char* name, warpjit_texture_format* format,
                                                       warpjit_error* error);

/* Members as those of warpjit::Texture (textures.hpp), 0 for what is not used. */
typedef struct warpjit_texture {
  size_t size;
  int32_t dimension; /* WARPJIT_TEXTURE_... */
  uint32_t array;    /* 1: of layers */
  const warpjit_texture_format* format;
  int32_t layout;     /* WARPJIT_LAYOUT_... */
  int32_t swizzle[4]; /* WARPJIT_SOURCE_... */
  uint32_t normalized, four_pairs, depth;
  const void* data;
  size_t byte_count;
  uint32_t width, height, depth_extent, layers, levels;
  uint32_t first_level, last_level;
  uint64_t row_bytes, slice_bytes, layer_bytes;
  uint32_t block_height, block_depth;
  int32_t min_lod, lod_bias; /* in 1/256 */
} warpjit_texture;
/* [any] Two-dimensional, linear, of width 0 and all its levels; rgba as they are. */
WARPJIT_API warpjit_status warpjit_default_texture(warpjit_texture* texture, warpjit_error* error);

typedef struct warpjit_sampler {
  size_t size;
  int32_t wrap[3];              /* WARPJIT_WRAP_... */
  int32_t magnify, minify, mip; /* WARPJIT_FILTER_..., WARPJIT_MIP_... */
  uint32_t compare;
  int32_t compare_op; /* WARPJIT_COMPARE_... : reference OP texel */
  uint32_t decode_srgb, seamless;
  int32_t lod_bias, min_lod, max_lod; /* in 1/256 */
  uint32_t border[4];                 /* bits of f32, or integers */
  uint32_t has_srgb_border;
  uint32_t srgb_border[3]; /* then x, y, z instead, for textures in sRGB */
  uint32_t reserved;       /* 0 */
} warpjit_sampler;
/* [any] Nearest, repeat, without levels. */
WARPJIT_API warpjit_status warpjit_default_sampler(warpjit_sampler* sampler, warpjit_error* error);

/* [one] By the numbers that the program has for them. The memory must live as long as runs sample it; it is
 * copied if it is compressed, not aligned to 4, or ends within a word. WARPJIT_BAD_INPUT names slot and
 * field. */
WARPJIT_API warpjit_status warpjit_launch_set_texture(warpjit_launch* launch, uint32_t slot,
                                                      const warpjit_texture* texture, warpjit_error* error);
WARPJIT_API warpjit_status warpjit_launch_set_sampler(warpjit_launch* launch, uint32_t slot,
                                                      const warpjit_sampler* sampler, warpjit_error* error);
/* [one] Takes back all textures and samplers. */
WARPJIT_API warpjit_status warpjit_launch_unset_textures(warpjit_launch* launch);

/* [one] Tesla's entries of eight words. `address` is that of the first of the bytes; `level_views` 0: G80,
 * whose entries show all levels. */
WARPJIT_API warpjit_status warpjit_launch_set_tesla_texture(warpjit_launch* launch, uint32_t slot,
                                                            const uint32_t* entry, uint64_t address,
                                                            const void* data, size_t byte_count,
                                                            uint32_t level_views, warpjit_error* error);
WARPJIT_API warpjit_status warpjit_launch_set_tesla_sampler(warpjit_launch* launch, uint32_t slot,
                                                            const uint32_t* entry, uint32_t seamless_cubes,
                                                            warpjit_error* error);

#ifdef __cplusplus
}
#endif

#endif
