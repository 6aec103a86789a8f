#include "capture/import_draw.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "capture/section_file.h"
#include "capture/usse/scene_sections.h"
#include "device/usse/attributes.h"
#include "device/usse/surface.h"
#include "files.h"
#include "json.h"
#include "launch/pixel_fields.h"
#include "picture_file.h"
#include "warpjit/usse.hpp"

namespace warpjit::tool {

namespace {

constexpr std::int64_t kMostWord = 0xffffffff;
constexpr std::size_t kMostMemory = std::size_t{1} << 28, kMostList = 1 << 20;

Result<std::uint32_t> read_word(const JsonField& field) {
  WARPJIT_TRY(const std::int64_t value, field.integer(0, kMostWord, 32));
  return static_cast<std::uint32_t>(value);
}
Result<std::uint32_t> read_number(const JsonField& field, const char* key, std::int64_t most) {
  WARPJIT_TRY(const JsonField value, field.require(key));
  WARPJIT_TRY(const std::int64_t number, value.integer(0, most, 32));
  return static_cast<std::uint32_t>(number);
}

// Bit patterns of words, with or without "0x".
Result<std::uint32_t> read_bits(const JsonField& field) {
  if (field.json().is_number()) return field.float_bits();
  WARPJIT_TRY(std::string text, field.string());
  if (text.starts_with("0x")) text.erase(0, 2);
  std::uint32_t word = 0;
  if (text.empty() || text.size() > 8) return field.error("is no word of up to eight hexadecimal digits");
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return field.error("is no word of up to eight hexadecimal digits");
    word = word << 4 | static_cast<std::uint32_t>(digit);
  }
  return word;
}
// A number, or a bit pattern.
Result<std::uint32_t> read_address(const JsonField& field) {
  return field.json().is_number() ? read_word(field) : read_bits(field);
}
Result<std::vector<std::uint32_t>> read_words(const JsonField& field) {
  WARPJIT_CHECK(field.expect_array());
  WARPJIT_CHECK(field.expect_most(usse::kMaxWords, "words"));
  std::vector<std::uint32_t> words;
  for (std::size_t n = 0; n < field.size(); ++n) {
    WARPJIT_TRY(const std::uint32_t word, read_bits(field.at(n)));
    words.push_back(word);
  }
  return words;
}

// Two hexadecimal digits a byte.
Result<std::vector<std::byte>> read_hex(const JsonField& field) {
  WARPJIT_TRY(const std::string text, field.string());
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  if (text.size() % 2 != 0 || std::ranges::any_of(text, [&](char c) { return digit(c) < 0; }))
    return field.error("is no even number of hexadecimal digits");
  std::vector<std::byte> bytes(text.size() / 2);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    bytes[n] = static_cast<std::byte>(16 * digit(text[2 * n]) + digit(text[2 * n + 1]));
  return bytes;
}

// A number of a name in a list.
template <std::size_t kCount>
Result<std::size_t> read_name(const JsonField& field, const std::array<std::string_view, kCount>& names) {
  WARPJIT_TRY(const std::string text, field.string());
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string known;
  for (const std::string_view name : names) known += (known.empty() ? "" : ", ") + std::string(name);
  return field.error("'" + text + "' is none of " + known);
}

struct ImportedStage {
  std::optional<Program> program;
  std::vector<std::string> names;
  std::vector<std::vector<std::uint32_t>> words;
  std::vector<usse::NamedUniform> uniforms;
  std::vector<std::uint32_t> default_uniforms;
  std::vector<usse::TextureBinding> textures;
};

class DrawImporter {
 public:
  DrawImporter(const JsonField& root, const std::filesystem::path& folder) : root_(root), folder_(folder) {}

  Result<std::vector<std::byte>> run() {
    WARPJIT_CHECK(root_.expect_object());
    WARPJIT_CHECK(root_.expect_keys({"name", "note", "target", "viewport", "primitive", "indices",
                                     "instances", "cull", "vertex", "fragment", "depth", "stencil",
                                     "visibility", "buffers", "memory", "expect"}));
    if (const auto visibility = root_.find("visibility"))
      return visibility->error("is not supported: pixels that pass are not counted", ErrorCode::unsupported);
    WARPJIT_TRY(const JsonField vertex, root_.require("vertex"));
    WARPJIT_TRY(const JsonField fragment, root_.require("fragment"));
    WARPJIT_CHECK(read_stage(
        vertex,
        {"program", "attributes", "streams", "stride", "data", "uniforms", "default_uniforms", "textures"},
        vertex_));
    WARPJIT_CHECK(read_stage(
        fragment, {"program", "uniforms", "default_uniforms", "textures", "output_format", "blend"},
        fragment_));
    WARPJIT_CHECK(read_target());
    WARPJIT_CHECK(read_state());
    WARPJIT_CHECK(read_vertices(vertex));
    WARPJIT_CHECK(read_blend(fragment));
    WARPJIT_CHECK(read_depth());
    WARPJIT_CHECK(read_stencil());
    WARPJIT_CHECK(check_output(fragment));
    WARPJIT_CHECK(read_memory());
    WARPJIT_CHECK(read_expected());
    return record();
  }

 private:
  Result<std::vector<std::byte>> read_file_of(const JsonField& field) const {
    WARPJIT_TRY(const std::string name, field.string());
    if (name.empty() || path_of(name).is_absolute())
      return field.error("must be a name relative to this file");
    auto bytes = read_file(folder_ / path_of(name), kMaxJsonBytes);
    if (!bytes) return field.wrap(bytes.error());
    return bytes;
  }

  Status read_stage(const JsonField& field, std::initializer_list<std::string_view> keys,
                    ImportedStage& stage) const {
    WARPJIT_CHECK(field.expect_object());
    WARPJIT_CHECK(field.expect_keys(keys));
    WARPJIT_TRY(const JsonField program, field.require("program"));
    WARPJIT_TRY(const std::vector<std::byte> bytes, read_file_of(program));
    WARPJIT_TRY(const std::string name, program.string());
    auto loaded = Program::load(bytes, {.source_name = name});
    if (!loaded) return program.wrap(loaded.error());
    stage.program = std::move(*loaded);
    if (const auto uniforms = field.find("uniforms")) {
      WARPJIT_CHECK(uniforms->expect_object());
      for (const auto& member : uniforms->json().members()) {
        WARPJIT_TRY(std::vector<std::uint32_t> words, read_words(uniforms->at(member.key)));
        stage.names.push_back(member.key);
        stage.words.push_back(std::move(words));
      }
      for (std::size_t n = 0; n < stage.names.size(); ++n)
        stage.uniforms.push_back({stage.names[n], stage.words[n]});
    }
    if (const auto block = field.find("default_uniforms")) {
      WARPJIT_TRY(stage.default_uniforms, read_words(*block));
    }
    const auto textures = field.find("textures");
    if (!textures) return {};
    WARPJIT_CHECK(textures->expect_object());
    for (const auto& member : textures->json().members()) {
      const JsonField one = textures->at(member.key);
      unsigned unit = 0;
      while (unit < usse::kTextureUnits && member.key != std::to_string(unit)) ++unit;
      if (unit == usse::kTextureUnits) return one.error("is no texture unit; they are 0 to 15");
      WARPJIT_TRY(const std::vector<std::uint32_t> words, read_words(one));
      if (words.size() != 4) return one.error("must have four control words");
      stage.textures.push_back({unit, {words[0], words[1], words[2], words[3]}});
    }
    return {};
  }

  Status read_target() {
    constexpr std::int64_t kMostExtent = 4096, kMostStride = 1 << 16;
    WARPJIT_TRY(const JsonField target, root_.require("target"));
    WARPJIT_CHECK(target.expect_object());
    WARPJIT_CHECK(target.expect_keys({"width", "height", "format", "type", "stride", "clear"}));
    WARPJIT_TRY(color_.width, read_number(target, "width", kMostExtent));
    WARPJIT_TRY(color_.height, read_number(target, "height", kMostExtent));
    WARPJIT_TRY(const JsonField format, target.require("format"));
    WARPJIT_TRY(const std::string format_name, format.string());
    const auto number = usse::parse_surface_format(format_name);
    if (!number) return format.error("'" + format_name + "' " + number.error().message, number.error().code);
    color_.format = *number;
    if (const auto type = target.find("type")) {
      constexpr std::array<std::string_view, 3> kTypes{"linear", "tiled", "swizzled"};
      WARPJIT_TRY(const std::size_t kind, read_name(*type, kTypes));
      color_.type = static_cast<std::uint32_t>(kind) << 26;
    }
    color_.stride = color_.width;
    if (target.has("stride")) {
      WARPJIT_TRY(color_.stride, read_number(target, "stride", kMostStride));
    }
    // The most that a pixel and the rest of a tile take.
    constexpr std::size_t kPixelBytes = 8, kTile = 32;
    const auto whole = [](std::uint32_t extent) { return (extent + kTile - 1) / kTile * kTile; };
    pixels_.resize(kPixelBytes * std::max<std::size_t>(whole(color_.width), color_.stride) *
                   whole(color_.height));
    color_.data = pixels_.data();
    color_.size = pixels_.size();
    auto surface = usse::Surface::open(color_);
    if (!surface) return target.wrap(surface.error());
    surface_.emplace(std::move(*surface));
    pixels_.resize(surface_->extent());
    color_.size = pixels_.size();
    return clear(target);
  }

  // Bytes, or floats of a format of floats.
  Status clear(const JsonField& target) {
    WARPJIT_TRY(const JsonField clear, target.require("clear"));
    WARPJIT_CHECK(clear.expect_size(4, "channels (red, green, blue, alpha)"));
    std::array<float, 4> color{};
    for (std::size_t n = 0; n < color.size(); ++n) {
      if (surface_->has_floats()) {
        WARPJIT_TRY(const std::uint32_t bits, clear.at(n).float_bits());
        std::memcpy(&color[n], &bits, sizeof bits);
      } else {
        WARPJIT_TRY(const std::int64_t byte, clear.at(n).integer(0, 255));
        color[n] = static_cast<float>(byte) / 255;
      }
    }
    for (std::uint32_t y = 0; y < color_.height; ++y)
      for (std::uint32_t x = 0; x < color_.width; ++x) surface_->put_color(x, y, color);
    return {};
  }

  // What a pixel is in the output register follows from the surface.
  Status check_output(const JsonField& fragment) const {
    const auto field = fragment.find("output_format");
    if (!field) return {};
    WARPJIT_TRY(const std::string name, field->string());
    const std::string_view wanted = surface_->target() == PixelFormat::rgba16f
                                        ? surface_->fields() == 4 ? "HALF4" : "HALF2"
                                    : surface_->target() == PixelFormat::r32f    ? "FLOAT"
                                    : surface_->target() == PixelFormat::rgba32f ? "FLOAT2"
                                                                                 : "UCHAR4";
    if (name == wanted) return {};
    return field->error(
        "'" + name + "' is not the output format of such a target: expected " + std::string(wanted),
        ErrorCode::unsupported);
  }

  Status read_state() {
    WARPJIT_TRY(const JsonField viewport, root_.require("viewport"));
    WARPJIT_CHECK(viewport.expect_size(6, "numbers (offset and scale of x, of y, of z)"));
    std::array<float, 6> view{};
    for (std::size_t n = 0; n < view.size(); ++n) {
      WARPJIT_TRY(const std::uint32_t bits, viewport.at(n).float_bits());
      std::memcpy(&view[n], &bits, sizeof bits);
    }
    draw_.viewport = {view[0], view[1], view[2], view[3], view[4], view[5]};
    constexpr std::array<std::string_view, 4> kPrimitives{"triangles", "strip", "fan", "points"};
    WARPJIT_TRY(const JsonField primitive, root_.require("primitive"));
    WARPJIT_TRY(const std::size_t kind, read_name(primitive, kPrimitives));
    draw_.primitive = static_cast<usse::Primitive>(kind);
    if (const auto cull = root_.find("cull")) {
      constexpr std::array<std::string_view, 3> kCulls{"none", "cw", "ccw"};
      WARPJIT_TRY(const std::size_t number, read_name(*cull, kCulls));
      draw_.cull = static_cast<usse::Cull>(number);
    }
    if (root_.has("instances")) {
      WARPJIT_TRY(draw_.instances, read_number(root_, "instances", kMostList));
    }
    WARPJIT_TRY(const JsonField indices, root_.require("indices"));
    WARPJIT_CHECK(indices.expect_array());
    WARPJIT_CHECK(indices.expect_most(kMostList, "indices"));
    for (std::size_t n = 0; n < indices.size(); ++n) {
      WARPJIT_TRY(const std::uint32_t index, read_word(indices.at(n)));
      indices_.push_back(index);
    }
    return {};
  }

  // `data` and `stride` are the only stream, or `streams` has some.
  Status read_streams(const JsonField& vertex) {
    const auto list = vertex.find("streams");
    if (!list) return read_stream(vertex);
    for (const char* key : {"data", "stride"})
      if (vertex.has(key)) return vertex.at(key).error("belongs into one of the streams");
    WARPJIT_CHECK(list->expect_array());
    WARPJIT_CHECK(list->expect_most(usse::kMaxStreams, "streams"));
    for (std::size_t n = 0; n < list->size(); ++n) {
      const JsonField one = list->at(n);
      WARPJIT_CHECK(one.expect_object());
      WARPJIT_CHECK(one.expect_keys({"data", "stride", "per_instance"}));
      WARPJIT_CHECK(read_stream(one));
      if (const auto per_instance = one.find("per_instance")) {
        WARPJIT_TRY(streams_.back().per_instance, per_instance->boolean());
      }
    }
    return {};
  }
  Status read_stream(const JsonField& field) {
    WARPJIT_TRY(const JsonField data, field.require("data"));
    WARPJIT_TRY(std::vector<std::byte> bytes, read_hex(data));
    usse::VertexStream stream;
    WARPJIT_TRY(stream.stride, read_number(field, "stride", kMostWord));
    const std::vector<std::byte>& kept = stream_bytes_.emplace_back(std::move(bytes));
    stream.data = kept.data();
    stream.size = kept.size();
    streams_.push_back(stream);
    return {};
  }

  Status read_vertices(const JsonField& vertex) {
    WARPJIT_CHECK(read_streams(vertex));
    WARPJIT_TRY(const JsonField list, vertex.require("attributes"));
    WARPJIT_CHECK(list.expect_array());
    WARPJIT_CHECK(list.expect_most(usse::kMaxAttributes, "attributes"));
    for (std::size_t n = 0; n < list.size(); ++n) {
      const JsonField one = list.at(n);
      WARPJIT_CHECK(one.expect_object());
      WARPJIT_CHECK(one.expect_keys({"name", "stream", "register", "format", "components", "offset"}));
      usse::VertexAttribute attribute;
      if (const auto stream = one.find("stream")) {
        WARPJIT_TRY(const std::int64_t which, stream->integer(0, kMostWord));
        if (which >= static_cast<std::int64_t>(streams_.size()))
          return stream->error("is no stream: there are " + std::to_string(streams_.size()));
        attribute.stream = static_cast<unsigned>(which);
      }
      WARPJIT_TRY(const std::uint32_t reg, read_number(one, "register", 0xffff));
      attribute.reg = static_cast<std::uint16_t>(reg);
      WARPJIT_TRY(const std::uint32_t components, read_number(one, "components", 4));
      attribute.components = static_cast<std::uint8_t>(components);
      WARPJIT_TRY(attribute.offset, read_number(one, "offset", kMostWord));
      WARPJIT_TRY(const JsonField format, one.require("format"));
      WARPJIT_TRY(std::string text, format.string());
      for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      const auto parsed = usse::parse_attribute_format(text);
      if (!parsed) return format.error("'" + text + "' is no format of attributes");
      attribute.format = *parsed;
      attributes_.push_back(attribute);
    }
    return {};
  }

  Status read_blend(const JsonField& fragment) {
    const auto field = fragment.find("blend");
    if (!field || field->json().is_null()) return {};
    WARPJIT_CHECK(field->expect_object());
    WARPJIT_CHECK(field->expect_keys(
        {"colorMask", "colorFunc", "alphaFunc", "colorSrc", "colorDst", "alphaSrc", "alphaDst"}));
    usse::Blend& blend = draw_.blend.emplace();
    const std::pair<const char*, std::uint8_t*> kFields[] = {
        {"colorMask", &blend.color_mask},     {"colorFunc", &blend.color_function},
        {"alphaFunc", &blend.alpha_function}, {"colorSrc", &blend.color_source},
        {"colorDst", &blend.color_target},    {"alphaSrc", &blend.alpha_source},
        {"alphaDst", &blend.alpha_target}};
    for (const auto& [key, to] : kFields) {
      WARPJIT_TRY(const std::uint32_t number, read_number(*field, key, 255));
      *to = static_cast<std::uint8_t>(number);
    }
    return {};
  }

  Status read_depth() {
    const auto field = root_.find("depth");
    if (!field) return {};
    DepthState depth;
    WARPJIT_CHECK(depth_fields().read_all(*field, depth, {"format", "clear", "stencil"}));
    draw_.depth_stencil.depth_compare = field->has("compare") ? depth.compare : Compare::always;
    draw_.depth_stencil.depth_write = field->has("write") && depth.write;
    usse::DepthSurface& surface = depth_.emplace();
    constexpr std::array<std::string_view, 3> kNames{"d16", "d24s8", "d32f"};
    constexpr std::array kFormats{PixelFormat::d16, PixelFormat::d24s8, PixelFormat::d32f};
    WARPJIT_TRY(const JsonField format, field->require("format"));
    WARPJIT_TRY(const std::size_t number, read_name(format, kNames));
    surface.format = kFormats[number];
    WARPJIT_CHECK(read_float(*field, "clear", surface.depth));
    return read_byte(*field, "stencil", surface.stencil);
  }

  Status read_stencil() {
    const auto field = root_.find("stencil");
    if (!field) return {};
    WARPJIT_CHECK(field->expect_object());
    WARPJIT_CHECK(field->expect_keys({"front", "back"}));
    usse::DepthStencil& state = draw_.depth_stencil;
    state.stencil = true;
    state.two_sided = field->has("back");
    const auto read_side = [&](const char* key, usse::StencilFunction& side) -> Status {
      WARPJIT_TRY(const JsonField from, field->require(key));
      StencilFace face;
      WARPJIT_CHECK(stencil_fields().read_all(from, face));
      side = {face.compare,   face.fail,      face.depth_fail, face.pass,
              face.reference, face.read_mask, face.write_mask};
      return {};
    };
    WARPJIT_CHECK(read_side("front", state.front));
    return state.two_sided ? read_side("back", state.back) : Status();
  }

  Status read_memory() {
    if (const auto memory = root_.find("memory")) {
      WARPJIT_CHECK(memory->expect_array());
      WARPJIT_CHECK(memory->expect_most(usse::kMaxMemoryPieces, "pieces of memory"));
      for (std::size_t n = 0; n < memory->size(); ++n) {
        const JsonField one = memory->at(n);
        WARPJIT_CHECK(one.expect_object());
        WARPJIT_CHECK(one.expect_keys({"address", "data"}));
        WARPJIT_TRY(const JsonField place, one.require("address"));
        WARPJIT_TRY(const std::uint32_t address, read_address(place));
        WARPJIT_TRY(const JsonField data, one.require("data"));
        WARPJIT_TRY(std::vector<std::byte> bytes, read_hex(data));
        bytes.resize((bytes.size() + 7) / 8 * 8);
        if (bytes.size() > kMostMemory) return data.error("has more than 256 MiB", ErrorCode::resource_limit);
        std::vector<std::byte>& kept = memory_bytes_.emplace_back(std::move(bytes));
        memory_.push_back({address, kept.data(), kept.size()});
      }
    }
    const auto buffers = root_.find("buffers");
    if (!buffers) return {};
    WARPJIT_CHECK(buffers->expect_object());
    for (const auto& member : buffers->json().members()) {
      const JsonField one = buffers->at(member.key);
      unsigned number = 0;
      while (number < usse::kDefaultContainer && member.key != std::to_string(number)) ++number;
      if (number == usse::kDefaultContainer) return one.error("is no uniform buffer; they are 0 to 13");
      WARPJIT_TRY(const std::uint32_t address, read_address(one));
      buffers_.push_back({number, {}, address});
    }
    return {};
  }

  Status read_expected() {
    const auto expect = root_.find("expect");
    if (!expect) return {};
    WARPJIT_CHECK(expect->expect_object());
    WARPJIT_CHECK(expect->expect_keys({"file", "max_difference", "max_pixels_beyond"}));
    WARPJIT_TRY(const JsonField file, expect->require("file"));
    WARPJIT_TRY(const std::vector<std::byte> bytes, read_file_of(file));
    WARPJIT_TRY(const std::string name, file.string());
    auto image = read_png(bytes, name);
    if (!image) return file.wrap(image.error());
    if (image->width != color_.width || image->height != color_.height)
      return file.error("has " + std::to_string(image->width) + " x " + std::to_string(image->height) +
                        " pixels, the target " + std::to_string(color_.width) + " x " +
                        std::to_string(color_.height));
    if (surface_->has_floats())
      return file.error(
          "has bytes, and channels of the target are floats: such targets have no picture to expect",
          ErrorCode::unsupported);
    expected_ = pixels_;
    usse::ColorSurface expected = color_;
    expected.data = expected_.data();
    WARPJIT_TRY(const usse::Surface surface, usse::Surface::open(expected));
    for (std::uint32_t y = 0; y < color_.height; ++y)
      for (std::uint32_t x = 0; x < color_.width; ++x) {
        const std::size_t at = 4 * (std::size_t{y} * color_.width + x);
        std::array<float, 4> color{};
        for (std::size_t n = 0; n < color.size(); ++n)
          color[n] = static_cast<float>(image->rgba[at + n]) / 255;
        surface.put_color(x, y, color);
      }
    if (const auto tolerance = expect->find("max_difference")) {
      WARPJIT_TRY(const std::int64_t most, tolerance->integer(0, 255));
      tolerance_ = static_cast<unsigned>(most);
    }
    constexpr std::uint32_t kOneIn = 500;
    if (tolerance_ != 0) beyond_ = color_.width * color_.height / kOneIn;
    if (expect->has("max_pixels_beyond")) {
      WARPJIT_TRY(beyond_, read_number(*expect, "max_pixels_beyond", kMostWord));
    }
    return {};
  }

  usse::StageSetup setup(const ImportedStage& stage) const {
    return {&*stage.program, stage.uniforms, stage.default_uniforms, buffers_, stage.textures};
  }

  Result<std::vector<std::byte>> record() {
    draw_.vertex = setup(vertex_);
    draw_.fragment = setup(fragment_);
    draw_.streams = streams_;
    draw_.attributes = attributes_;
    draw_.memory = memory_;
    draw_.indices = indices_;
    auto file = std::make_shared<std::vector<std::byte>>();
    const auto append = [](void* to, std::span<const std::byte> part) {
      auto& all = *static_cast<std::vector<std::byte>*>(to);
      all.insert(all.end(), part.begin(), part.end());
      return true;
    };
    WARPJIT_TRY(usse::Recorder recorder, usse::Recorder::begin(append, file.get()));
    WARPJIT_TRY(usse::Scene scene, usse::Scene::begin(color_, depth_, &recorder));
    RunOptions options;
    options.engine = EngineKind::guest;
    WARPJIT_TRY(const usse::DrawReport report, scene.draw(Engine(), draw_, options));
    (void)report;
    WARPJIT_CHECK(scene.end());
    WARPJIT_CHECK(recorder.end());
    // What is expected is what the file says, not what warpjit has drawn.
    WARPJIT_TRY(const capture::SectionFile sections, capture::read_sections(*file, "draw"));
    WARPJIT_TRY(usse::SceneList list, usse::read_scenes(sections, file));
    for (usse::SceneStep& step : list.steps)
      if (auto* end = std::get_if<usse::SceneEnd>(&step)) {
        end->hash.reset();
        end->tolerance = tolerance_;
        end->beyond = beyond_;
        end->expected = expected_;
      }
    std::vector<std::byte> bytes;
    capture::SectionWriter writer(append, &bytes, capture::FileGuest::usse);
    usse::write_scenes(writer, list);
    WARPJIT_CHECK(writer.finish());
    return bytes;
  }

  const JsonField& root_;
  const std::filesystem::path& folder_;
  ImportedStage vertex_, fragment_;
  usse::ColorSurface color_;
  std::optional<usse::DepthSurface> depth_;
  std::optional<usse::Surface> surface_;
  usse::Draw draw_;
  std::vector<usse::VertexStream> streams_;
  std::vector<std::vector<std::byte>> stream_bytes_;
  std::vector<std::byte> pixels_, expected_;
  std::vector<usse::VertexAttribute> attributes_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::vector<std::byte>> memory_bytes_;
  std::vector<usse::Memory> memory_;
  std::vector<usse::UniformBufferBinding> buffers_;
  unsigned tolerance_ = 0;
  std::uint32_t beyond_ = 0;
};

}  // namespace

bool is_draw_text(std::string_view text) {
  if (!is_launch_text(text)) return false;
  const auto document = parse_json(text, "draw");
  return document && document->is_object() && document->contains("vertex") &&
         document->contains("fragment") && document->contains("target") && !document->contains("warpjit");
}

Result<std::vector<std::byte>> import_draw(std::string_view text, const std::string& name,
                                           const std::filesystem::path& folder) {
  WARPJIT_TRY(const Json document, parse_json(text, name));
  const JsonField root(document, name);
  return DrawImporter(root, folder).run();
}

}  // namespace warpjit::tool
