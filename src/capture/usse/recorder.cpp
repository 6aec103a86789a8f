#include "capture/usse/recorder.h"

#include <algorithm>

#include "base/result.h"
#include "device/usse/surface.h"
#include "frontend/usse/encoding/encoding.h"
#include "frontend/usse/shader.h"
#include "frontend/usse/stage_values.h"

namespace warpjit::usse {
namespace {

using capture::SectionKind;

const Shader& shader_of(const warpjit::Program& program) {
  return static_cast<const Shader&>(frontend::shader_of(program));
}

bool has_opcode(const usse::Program& program, Opcode opcode) {
  for (const auto* code : {&program.secondary, &program.primary})
    for (const std::uint64_t word : *code)
      if (const auto instruction = decode(word); instruction && instruction->opcode == opcode) return true;
  return false;
}

// The bytes of a uniform buffer in memory that the container declares, or as many as one can have.
std::uint64_t buffer_bytes(const usse::Program& program, unsigned buffer) {
  std::uint64_t words = 0;
  for (const Parameter& parameter : program.parameters)
    if (parameter.category == Category::uniform && parameter.container == buffer)
      words = std::max(words, parameter.resource + std::uint64_t{uniform_stride(parameter)} *
                                                       std::max(1U, parameter.array_size));
  return 4 * (words != 0 ? words : kMaxWords);
}

// Words of a buffer that the program has in registers.
std::size_t register_words(const usse::Program& program, unsigned buffer) {
  const RegisterContainer* const container = program.container(static_cast<std::uint16_t>(buffer));
  return container == nullptr ? 0 : container->words;
}

std::span<const std::uint32_t> first_words(std::span<const std::uint32_t> words, std::size_t most) {
  return words.first(std::min(words.size(), most));
}

// How many bytes of a stream its attributes read for that many elements.
std::uint64_t stream_bytes(const Draw& draw, std::size_t stream, std::uint64_t elements) {
  std::uint64_t end = 0;
  if (elements == 0) return 0;
  for (const VertexAttribute& attribute : draw.attributes)
    if (attribute.stream == stream && static_cast<unsigned>(attribute.format) < kAttributeFormats)
      end = std::max(end, attribute.offset + (elements - 1) * draw.streams[stream].stride +
                              std::uint64_t{attribute.components} * bytes_of(attribute.format));
  return std::min<std::uint64_t>(end, draw.streams[stream].size);
}

}  // namespace

SceneRecorder::SceneRecorder(CaptureSink sink, void* context, std::span<const Memory> memory)
    : file_(sink, context, capture::FileGuest::usse),
      writer_(file_),
      known_(writer_),
      scenes_(file_),
      memory_(memory.begin(), memory.end()) {}

void SceneRecorder::lose(std::string what) {
  if (lost_) lost_ = Error{ErrorCode::unsupported, "a capture cannot have " + std::move(what), "capture"};
}

std::optional<std::uint64_t> SceneRecorder::address_of(const void* data, std::size_t size,
                                                       const Draw* draw) const {
  const auto* const bytes = static_cast<const std::byte*>(data);
  const auto find = [&](std::span<const Memory> pieces) -> std::optional<std::uint64_t> {
    for (const Memory& piece : pieces) {
      const auto* const first = static_cast<const std::byte*>(piece.data);
      if (first != nullptr && bytes >= first && bytes < first + piece.size &&
          size <= static_cast<std::size_t>(first + piece.size - bytes))
        return piece.address + static_cast<std::uint64_t>(bytes - first);
    }
    return std::nullopt;
  };
  if (draw != nullptr)
    if (const auto address = find(draw->memory)) return address;
  return find(memory_);
}

// ---- Scenes

std::uint64_t SceneRecorder::surface_address(const ColorSurface& color) {
  if (const auto address = address_of(color.data, color.size, nullptr)) return *address;
  const auto [found, is_new] = own_surfaces_.try_emplace({color.data, color.size}, next_own_);
  if (is_new) next_own_ += (color.size + capture::kPageBytes - 1) / capture::kPageBytes * capture::kPageBytes;
  return found->second;
}

namespace {

// What it reaches of the memory that it was given.
ColorSurface fit(const ColorSurface& color) {
  ColorSurface fitted = color;
  if (const auto surface = Surface::open(color)) fitted.size = static_cast<std::size_t>(surface->extent());
  return fitted;
}

std::span<const std::byte> bytes_of(const ColorSurface& color) {
  return {static_cast<const std::byte*>(color.data), color.size};
}

}  // namespace

std::size_t SceneRecorder::begin_scene(const ColorSurface& given, const std::optional<DepthSurface>& depth) {
  const std::size_t number = addresses_.size();
  addresses_.push_back(0);
  if (!records()) return number;
  const ColorSurface color = fit(given);
  addresses_.back() = surface_address(color);
  known_.reach(addresses_.back(), bytes_of(color));
  scenes_.write(SceneBegin{color, addresses_.back(), depth});
  return number;
}

void SceneRecorder::begin_store(std::size_t scene, const ColorSurface& given) {
  if (!records()) return;
  const ColorSurface color = fit(given);
  // Where there is nothing but pixels, all is written.
  if (color.stride != color.width || color.type != 0) known_.reach(addresses_[scene], bytes_of(color));
}

void SceneRecorder::end_store(std::size_t scene, const ColorSurface& given) {
  if (!records()) return;
  const ColorSurface color = fit(given);
  known_.learn(addresses_[scene], bytes_of(color));
  SceneEnd end;
  end.scene = scene;
  end.hash = surface_hash(bytes_of(color));
  scenes_.write(end);
  texels_.clear();
}

// ---- Draws

const SceneRecorder::ProgramUse* SceneRecorder::use_of(const warpjit::Program& program) {
  const warpjit::Program::State* const key = program.shared_state().get();
  if (const auto found = uses_.find(key); found != uses_.end()) return &found->second;
  const Shader& shader = shader_of(program);
  const ProgramSource& source = shader.source();
  if (source.bytes.empty() || source.bytes.size() > kMaxProgramBytes) {
    lose("programs without the bytes that they were made of, or with more than 16 MiB");
    return nullptr;
  }
  std::string name(
      1, static_cast<char>(2 * static_cast<int>(source.form) + (program.stage() == Stage::fragment ? 1 : 0)));
  name.append(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size());
  const auto [known, is_new] =
      programs_.try_emplace(std::move(name), static_cast<std::uint32_t>(programs_.size()));
  if (is_new && programs_.size() > kMaxPrograms) {
    lose("more than 4096 programs");
    return nullptr;
  }
  if (is_new) scenes_.write({source.form, program.stage(), program.source_name(), source.bytes});
  const ProgramUse use{program.shared_state(), known->second, has_opcode(shader.program(), Opcode::ld),
                       has_opcode(shader.program(), Opcode::st)};
  return &uses_.emplace(key, use).first->second;
}

bool SceneRecorder::write_stage(const StageSetup& setup, StageData& data) {
  const ProgramUse* const use = use_of(*setup.program);
  if (use == nullptr) return false;
  data.program = use->number;
  stores_ = stores_ || use->stores;
  const usse::Program& program = shader_of(*setup.program).program();
  for (const NamedUniform& uniform : setup.uniforms)
    data.uniforms.push_back({uniform.name, std::as_bytes(uniform.words)});
  const std::size_t defaults =
      std::max<std::size_t>(program.default_words, register_words(program, kDefaultContainer));
  data.default_uniforms =
      std::as_bytes(first_words(setup.default_uniforms, std::min<std::size_t>(defaults, kMaxWords)));
  for (const UniformBufferBinding& buffer : setup.buffers)
    data.buffers.push_back(
        {buffer.buffer, buffer.address,
         std::as_bytes(first_words(buffer.words, register_words(program, buffer.buffer)))});
  data.textures.assign(setup.textures.begin(), setup.textures.end());
  return true;
}

// What programs load may lie in uniform buffers, where their containers say so; else it may lie anywhere.
void SceneRecorder::reach_memory(const Draw& draw, const StageSetup& setup) {
  const ProgramUse& use = uses_.at(setup.program->shared_state().get());
  if (!use.loads && !use.stores) return;
  const usse::Program& program = shader_of(*setup.program).program();
  const auto reach = [&](std::uint64_t address, std::uint64_t size) {
    for (const Memory& piece : draw.memory) {
      const std::uint64_t first = std::max<std::uint64_t>(address, piece.address);
      const std::uint64_t end = std::min(address + size, piece.address + std::uint64_t{piece.size});
      if (first < end)
        known_.reach(first, {static_cast<const std::byte*>(piece.data) + (first - piece.address),
                             static_cast<std::size_t>(end - first)});
    }
  };
  if (use.stores || program.uniform_buffers.empty()) {
    for (const Memory& piece : draw.memory) reach(piece.address, piece.size);
    return;
  }
  for (const UniformBuffer& taken : program.uniform_buffers)
    for (const UniformBufferBinding& buffer : setup.buffers)
      if (buffer.buffer == taken.buffer && buffer.address != 0)
        reach(buffer.address, buffer_bytes(program, taken.buffer));
}

// Large ones are compared once until the scene ends: on the console, too, what a scene samples must not change
// before it has ended.
void SceneRecorder::reach_textures(const Draw& draw, std::size_t scene,
                                   std::span<const std::span<const std::byte>> texels) {
  constexpr std::size_t kLarge = 16384;
  if (texels_scene_ != scene) texels_.clear();
  texels_scene_ = scene;
  for (const std::span<const std::byte> bytes : texels) {
    if (bytes.size() >= kLarge && !texels_.insert({bytes.data(), bytes.size()}).second) continue;
    if (const auto address = address_of(bytes.data(), bytes.size(), &draw)) known_.reach(*address, bytes);
  }
}

void SceneRecorder::add_streams(const Draw& draw, DrawData& data) {
  const std::uint64_t vertices =
      draw.indices.empty() ? 0 : std::uint64_t{*std::ranges::max_element(draw.indices)} + 1;
  for (std::size_t n = 0; n < draw.streams.size(); ++n) {
    const VertexStream& stream = draw.streams[n];
    StreamData& to = data.streams.emplace_back();
    to.stride = stream.stride;
    to.per_instance = stream.per_instance;
    const std::uint64_t elements =
        std::max<std::uint64_t>(stream.per_instance ? draw.instances : vertices, 1);
    const auto size = static_cast<std::size_t>(stream_bytes(draw, n, elements));
    if (stream.data == nullptr || size == 0) continue;
    const std::span bytes(static_cast<const std::byte*>(stream.data), size);
    to.address = address_of(stream.data, size, &draw);
    if (to.address) {
      known_.reach(*to.address, bytes);
      to.size = size;
    } else {
      to.bytes = bytes;
    }
  }
}

void SceneRecorder::begin_draw(std::size_t scene, const Draw& draw,
                               std::span<const std::span<const std::byte>> texels) {
  ++draws_;
  stores_ = false;
  if (!records()) return;
  if (draw.vertex.program == nullptr || draw.fragment.program == nullptr ||
      draw.vertex.program->isa() != Isa::usse || draw.fragment.program->isa() != Isa::usse)
    return lose("draws without programs of this GPU");
  DrawData data;
  data.scene = scene;
  data.state = draw;
  data.indices = std::as_bytes(draw.indices);
  data.attributes.assign(draw.attributes.begin(), draw.attributes.end());
  for (const Memory& piece : draw.memory) data.memory.push_back({piece.address, piece.size});
  if (!write_stage(draw.vertex, data.vertex) || !write_stage(draw.fragment, data.fragment)) return;
  std::vector<std::byte> narrow;
  if (std::ranges::all_of(draw.indices, [](std::uint32_t index) { return index <= 0xffff; })) {
    data.index_bytes = 2;
    narrow.reserve(2 * draw.indices.size());
    for (const std::uint32_t index : draw.indices) {
      narrow.push_back(static_cast<std::byte>(index));
      narrow.push_back(static_cast<std::byte>(index >> 8));
    }
    data.indices = narrow;
  }
  data.streams.reserve(draw.streams.size());
  if (draw.streams.size() <= 16)
    add_streams(draw, data);
  else
    data.streams.resize(draw.streams.size());
  if (const char* const what = misfit(data)) return lose(what);
  reach_textures(draw, scene, texels);
  for (const StageSetup* setup : {&draw.vertex, &draw.fragment}) reach_memory(draw, *setup);
  scenes_.write(data);
}

void SceneRecorder::end_draw(std::size_t scene, const Draw& draw, const Status& done) {
  if (!records()) return;
  if (!done) {
    failed_draw_ =
        Error{done.error().code, "the draw failed, and the capture ends with it: " + done.error().message,
              "scene " + std::to_string(scene) + ", draw " + std::to_string(draws_ - 1)};
  } else if (stores_) {
    for (const Memory& piece : draw.memory)
      known_.learn(piece.address, {static_cast<const std::byte*>(piece.data), piece.size});
  }
}

void SceneRecorder::end_frame() {
  if (records()) file_.write(SectionKind::frame_end, 0, {});
}

Status SceneRecorder::finish() {
  if (finished_) return Error{ErrorCode::bad_input, "the capture has ended already", "capture"};
  finished_ = true;
  const Status ended = file_.finish();
  if (!ended) return ended;
  if (!lost_) return lost_;
  return failed_draw_ ? Status(*failed_draw_) : Status();
}

// ---- The public handle

Recorder::Recorder(std::shared_ptr<State> state) : state_(std::move(state)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&& from) noexcept {
  std::swap(state_, from.state_);
  return *this;
}
Recorder::~Recorder() {
  if (state_) state_->abandon();
}

Result<Recorder> Recorder::begin(CaptureSink sink, void* context, std::span<const Memory> memory) try {
  if (sink == nullptr) return Error{ErrorCode::bad_input, "the sink is null", "capture"};
  return Recorder(std::make_shared<SceneRecorder>(sink, context, memory));
} catch (...) {
  return caught();
}

Status Recorder::end_frame() try {
  state_->end_frame();
  return {};
} catch (...) {
  return caught();
}

Status Recorder::end() try { return state_->finish(); } catch (...) {
  return caught();
}

}  // namespace warpjit::usse
