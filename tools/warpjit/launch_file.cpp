#include "launch_file.h"

#include <algorithm>
#include <limits>
#include <map>

#include "frontend/pica200/shader.h"
#include "json_field.h"
#include "launch_data.h"
#include "launch_geometry.h"
#include "program_file.h"

namespace warpjit::tool {

namespace {

using pica200::ExitFile;
using pica200::Register;
using pica200::RegisterFile;

// Keys that launches of other guests and stages have, as yet refused.
constexpr std::string_view kLaterKeys[] = {"grid", "block",  "shared", "registers", "params",
                                           "chip", "memory", "size",   "varyings",  "textures"};

template <class Container>
bool contains(const Container& container, std::string_view text) {
  return std::find(std::begin(container), std::end(container), text) != std::end(container);
}

class Reader {
 public:
  Reader(const JsonField& root, const FileReader& files) : root_(root), files_(files) {}

  Result<LaunchFile> read() {
    WARPJIT_CHECK(read_head());
    WARPJIT_TRY(const JsonField program, root_.require("program"));
    WARPJIT_CHECK(read_program(program));
    WARPJIT_CHECK(read_modes());
    if (launch_.is_geometry()) WARPJIT_CHECK(read_geometry(program));
    WARPJIT_CHECK(read_uniforms());
    WARPJIT_CHECK(read_state());
    WARPJIT_CHECK(read_inputs());
    WARPJIT_CHECK(check_bound());
    WARPJIT_CHECK(read_outputs());
    WARPJIT_CHECK(read_expectations());
    return std::move(launch_);
  }

  // The vertex stage of a geometry launch; that one's program, count and modes are used where it has none of
  // its own.
  Result<LaunchFile> read_vertex_stage(const LaunchFile& geometry, const JsonField& program) {
    WARPJIT_CHECK(root_.expect_object());
    WARPJIT_CHECK(root_.expect_keys({"program", "modes", "uniforms", "state", "inputs", "outputs"}));
    launch_.count = launch_.rows = geometry.count;
    WARPJIT_CHECK(read_program(root_.has("program") ? root_.at("program") : program));
    launch_.program.f24 = geometry.program.f24;
    WARPJIT_CHECK(read_modes());
    WARPJIT_CHECK(read_uniforms());
    WARPJIT_CHECK(read_state());
    WARPJIT_CHECK(read_inputs());
    WARPJIT_CHECK(check_bound());
    if (root_.has("outputs")) {
      WARPJIT_CHECK(read_outputs());
    } else {
      for (std::uint8_t reg = 0; reg < 16; ++reg)
        if ((launch_.program.output_mask >> reg & 1) != 0)
          launch_.outputs.push_back({"o" + std::to_string(reg), {ExitFile::o, reg}, 4});
    }
    for (const LaunchOutput& output : launch_.outputs)
      if (output.state.file != ExitFile::o)
        return root_.at("outputs").error("'" + output.name + "' is not an output register: o0-o15 are");
    if (launch_.outputs.empty()) return root_.error("the vertex program enables no outputs: list 'outputs'");
    return std::move(launch_);
  }

 private:
  Status read_modes() {
    const auto modes = root_.find("modes");
    if (!modes) return {};
    WARPJIT_CHECK(modes->expect_keys({"float"}));
    const auto field = modes->find("float");
    if (!field) return {};
    WARPJIT_TRY(const std::string format, field->string());
    if (format != "f32" && format != "f24")
      return field->error("unknown float mode '" + format + "', f32 and f24 are known");
    launch_.program.f24 = format == "f24";
    return {};
  }

  // What a name stands for: registers first..last of a file; `exact`: a register's own name.
  struct Named {
    Register first;
    unsigned count = 1;
    bool is_register = false;
  };

  Status read_head() {
    WARPJIT_CHECK(root_.expect_object());
    WARPJIT_TRY(const JsonField version, root_.require("warpjit"));
    WARPJIT_TRY(const std::int64_t number, version.integer(0, std::numeric_limits<std::int64_t>::max()));
    if (number != 1)
      return version.error("version " + std::to_string(number) +
                           " of the launch format is not known; this build reads 1");
    WARPJIT_TRY(const JsonField isa_field, root_.require("isa"));
    WARPJIT_TRY(const std::string isa, isa_field.string());
    if (isa == "tesla" || isa == "valhall" || isa == "usse")
      return isa_field.error("isa '" + isa + "' is not supported yet", ErrorCode::unsupported);
    if (isa != "pica200") return isa_field.error("unknown isa '" + isa + "', pica200 is known");
    WARPJIT_TRY(const JsonField stage_field, root_.require("stage"));
    WARPJIT_TRY(const std::string stage, stage_field.string());
    if (stage == "fragment" || stage == "compute")
      return stage_field.error("pica200 has no stage '" + stage + "'");
    if (stage != "vertex" && stage != "geometry")
      return stage_field.error("unknown stage '" + stage + "', vertex and geometry are known");
    const bool geometry = stage == "geometry";
    if (geometry) launch_.program.stage = pica200::Stage::geometry;
    for (const auto& [key, value] : root_.json().items())
      if (contains(kLaterKeys, key))
        return root_.at(key).error(
            "not supported yet: '" + key + "' belongs to other guests and stages than those of pica200",
            ErrorCode::unsupported);
    WARPJIT_CHECK(root_.expect_keys({"warpjit", "isa", "stage", "program", "modes", "count", "uniforms",
                                     "state", "inputs", "outputs", "expect", "geometry", "vertex"}));
    for (const char* key : {"geometry", "vertex"})
      if (!geometry && root_.has(key)) return root_.at(key).error("belongs to stage 'geometry'");
    WARPJIT_TRY(const JsonField count, root_.require("count"));
    WARPJIT_TRY(const std::int64_t threads, count.integer(1, kMaxThreads, 32));
    launch_.count = launch_.rows = static_cast<std::uint64_t>(threads);
    return {};
  }

  Status read_geometry(const JsonField& program) {
    const pica200::Program& chosen = launch_.program;
    WARPJIT_TRY(const auto shader, pica200::Shader::make(chosen));
    launch_.geometry = shader->geometry_input();
    if (const auto geometry = root_.find("geometry"))
      WARPJIT_CHECK(read_geometry_input(*geometry, launch_.geometry, launch_.primitives));
    if (const auto vertex = root_.find("vertex")) {
      if (program.has("words") && !vertex->has("program"))
        return vertex->error("'program' is missing: raw words hold one program");
      WARPJIT_TRY(LaunchFile stage, Reader(*vertex, files_).read_vertex_stage(launch_, program));
      launch_.vertex.push_back(std::move(stage));
      if (root_.has("inputs")) return root_.at("inputs").error("inputs belong to the vertex stage");
      // Its outputs fill the registers in their order.
      if (launch_.geometry.mode == PrimitiveMode::point)
        for (const std::uint8_t reg : launch_.geometry.registers)
          claimed_.emplace(std::pair{RegisterFile::v, reg}, "vertex");
    } else if (launch_.geometry.mode != PrimitiveMode::point) {
      return root_.error(std::string(warpjit::name(launch_.geometry.mode)) +
                         " primitives need a vertex stage: 'vertex' is missing");
    }
    return {};
  }

  Status read_program(const JsonField& program) {
    WARPJIT_CHECK(program.expect_object());
    if (program.has("words")) return read_words(program);
    WARPJIT_CHECK(program.expect_keys({"file", "entry", "index"}));
    WARPJIT_TRY(const JsonField file, program.require("file"));
    WARPJIT_TRY(const std::string file_name, file.string());
    ProgramRequest request;
    request.stage = launch_.program.stage;
    if (const auto entry = program.find("entry")) {
      if (entry->json().is_string()) {
        set_entry(request, entry->json().get<std::string>());
      } else {
        WARPJIT_TRY(const std::int64_t address, entry->integer(0, pica200::kMaxCodeWords - 1, 32));
        request.address = static_cast<std::uint32_t>(address);
      }
    }
    if (const auto index = program.find("index")) {
      WARPJIT_TRY(const std::int64_t number, index->integer(0, 255, 32));
      request.index = static_cast<std::size_t>(number);
    }
    const auto bytes = files_(file_name);
    if (!bytes) return file.wrap(bytes.error());
    const auto container = read_container(*bytes, file_name);
    if (!container) return file.wrap(container.error());
    auto chosen = choose_program(*container, request);
    if (!chosen) return program.wrap(chosen.error());
    launch_.program = std::move(*chosen);
    pica200::apply_constants(launch_.program, launch_.uniforms);
    return {};
  }

  Status read_words(const JsonField& program) {
    WARPJIT_CHECK(program.expect_keys({"words", "descriptors", "entry"}));
    const auto read_list = [](const JsonField& list, std::size_t limit,
                              std::vector<std::uint32_t>& words) -> Status {
      WARPJIT_CHECK(list.expect_array());
      if (list.size() > limit)
        return list.error(std::to_string(list.size()) + " words are more than the " + std::to_string(limit) +
                          " that the machine has");
      for (std::size_t k = 0; k < list.size(); ++k) {
        WARPJIT_TRY(const std::int64_t word, list.at(k).integer(0, 0xFFFFFFFF, 32));
        words.push_back(static_cast<std::uint32_t>(word));
      }
      return {};
    };
    pica200::Program& target = launch_.program;
    target.source_name = "program.words";
    const JsonField words = program.at("words");
    WARPJIT_CHECK(read_list(words, pica200::kMaxCodeWords, target.code));
    if (target.code.empty()) return words.error("a program needs at least one word");
    if (const auto descriptors = program.find("descriptors"))
      WARPJIT_CHECK(read_list(*descriptors, pica200::kMaxDescriptors, target.descriptors));
    if (const auto entry = program.find("entry")) {
      WARPJIT_TRY(const std::int64_t address,
                  entry->integer(0, static_cast<std::int64_t>(target.code.size()) - 1, 32));
      target.entry = static_cast<std::uint32_t>(address);
    }
    return {};
  }

  // Resolves a name of the files that `wanted` lists.
  Result<Named> resolve(const JsonField& field, const std::string& text,
                        std::initializer_list<RegisterFile> wanted) const {
    const auto allowed = [&](RegisterFile file) {
      return std::find(wanted.begin(), wanted.end(), file) != wanted.end();
    };
    if (const auto reg = pica200::parse_register(text); reg && allowed(reg->file))
      return Named{*reg, 1, true};
    if (const pica200::Symbol* symbol = launch_.program.find_symbol(text);
        symbol != nullptr && allowed(symbol->first.file))
      return Named{symbol->first, static_cast<unsigned>(symbol->last - symbol->first.index) + 1, false};
    std::string known;
    for (const pica200::Symbol& symbol : launch_.program.symbols)
      if (allowed(symbol.first.file) && known.size() < 400)
        known += (known.empty() ? "" : ", ") + symbol.name;
    std::string ranges;
    for (const RegisterFile file : wanted)
      ranges += std::string(ranges.empty() ? "" : ", ") + (file == RegisterFile::c   ? "c0-c95"
                                                           : file == RegisterFile::i ? "i0-i3"
                                                           : file == RegisterFile::b ? "b0-b15"
                                                                                     : "v0-v15");
    return field.error("'" + text + "' is neither a register (" + ranges +
                       ") nor a name that the program declares" + (known.empty() ? "" : " (" + known + ")"));
  }

  // Marks a register as set by `field`; a second time is an error.
  Status claim(const JsonField& field, Register reg) {
    const auto [place, fresh] = claimed_.emplace(std::pair{reg.file, reg.index}, field.path());
    if (!fresh) return field.error(pica200::name(reg) + " is already set by " + place->second);
    return {};
  }

  Status read_uniforms() {
    const auto uniforms = root_.find("uniforms");
    if (!uniforms) return {};
    WARPJIT_CHECK(uniforms->expect_object());
    for (const auto& [key, value] : uniforms->json().items()) {
      const JsonField field = uniforms->at(key);
      WARPJIT_TRY(const Named named,
                  resolve(field, key, {RegisterFile::c, RegisterFile::i, RegisterFile::b}));
      // One register's value, or an array of them: rows of rows, or for booleans an array.
      const bool boolean = named.first.file == RegisterFile::b;
      const bool rows =
          field.json().is_array() && (boolean || (field.size() > 0 && field.json().front().is_array()));
      const std::size_t count = rows ? field.size() : 1;
      const std::size_t limit =
          named.is_register ? file_size(named.first.file) - named.first.index : named.count;
      if (count > limit)
        return field.error("has " + std::to_string(count) + " registers, but " +
                           (named.is_register ? "only " + std::to_string(limit) + " follow"
                                              : key + " is declared with " + std::to_string(limit)));
      for (std::size_t k = 0; k < count; ++k) {
        const Register reg{named.first.file, static_cast<std::uint8_t>(named.first.index + k)};
        const JsonField row = rows ? field.at(k) : field;
        WARPJIT_CHECK(claim(row, reg));
        WARPJIT_CHECK(set_uniform(row, reg));
      }
    }
    return {};
  }

  static std::size_t file_size(RegisterFile file) {
    return file == RegisterFile::c ? 96 : file == RegisterFile::i ? 4 : 16;
  }

  Status set_uniform(const JsonField& field, Register reg) {
    pica200::Uniforms& uniforms = launch_.uniforms;
    if (reg.file == RegisterFile::b) {
      WARPJIT_TRY(const bool value, field.boolean());
      const unsigned bit = 1u << reg.index;
      uniforms.b = static_cast<std::uint16_t>(value ? uniforms.b | bit : uniforms.b & ~bit);
      return {};
    }
    WARPJIT_CHECK(expect_components(field, 4));
    for (unsigned k = 0; k < 4; ++k) {
      if (reg.file == RegisterFile::i) {
        uniforms.i[reg.index][k] = k == 3 ? 1 : 0;
        if (k >= field.size()) continue;
        WARPJIT_TRY(const std::int64_t number, field.at(k).integer(0, 255, 8));
        uniforms.i[reg.index][k] = static_cast<std::uint8_t>(number);
      } else {
        uniforms.c[reg.index][k] = k == 3 ? 1.0f : 0.0f;
        if (k >= field.size()) continue;
        WARPJIT_TRY(const std::uint32_t bits, field.at(k).float_bits());
        uniforms.c[reg.index][k] = std::bit_cast<float>(bits);
      }
    }
    return {};
  }

  static Status expect_components(const JsonField& field, std::size_t most) {
    WARPJIT_CHECK(field.expect_array());
    if (field.size() == 0 || field.size() > most)
      return field.error("has " + std::to_string(field.size()) + " components, must have 1 to " +
                         std::to_string(most));
    return {};
  }

  Status read_state() {
    const auto state = root_.find("state");
    if (!state) return {};
    WARPJIT_CHECK(state->expect_object());
    for (const auto& [key, value] : state->json().items()) {
      const JsonField field = state->at(key);
      const auto what = parse_state_name(key);
      if (!what || what->file == ExitFile::o || what->file == ExitFile::emit)
        return field.error("'" + key + "' cannot be set: r0-r15, a0, aL and cmp can");
      const unsigned count = components(*what);
      const bool scalar = count == 1 && !field.json().is_array();
      if (!scalar) WARPJIT_CHECK(expect_components(field, count));
      for (unsigned k = 0; k < count; ++k) {
        if (!scalar && k >= field.size()) {
          if (k == 3) launch_.start.r[what->index][k] = 1;
          continue;
        }
        WARPJIT_CHECK(set_state(scalar ? field : field.at(k), *what, k));
      }
      launch_.state.push_back(*what);
    }
    return {};
  }

  Status set_state(const JsonField& field, StateName what, unsigned k) {
    pica200::ThreadState& start = launch_.start;
    if (what.file == ExitFile::r) {
      WARPJIT_TRY(const std::uint32_t bits, field.float_bits());
      start.r[what.index][k] = std::bit_cast<float>(bits);
    } else if (what.file == ExitFile::cmp) {
      if (field.json().is_boolean()) {
        start.cmp[k] = field.json().get<bool>();
        return {};
      }
      WARPJIT_TRY(const std::int64_t flag, field.integer(0, 1, 1));
      start.cmp[k] = flag != 0;
    } else {
      WARPJIT_TRY(const std::int64_t number, field.integer(std::numeric_limits<std::int32_t>::min(),
                                                           std::numeric_limits<std::int32_t>::max(), 32));
      (what.file == ExitFile::aL ? start.aL : start.a0[k]) = static_cast<std::int32_t>(number);
    }
    return {};
  }

  Status read_inputs() {
    const auto inputs = root_.find("inputs");
    if (!inputs) return {};
    WARPJIT_CHECK(inputs->expect_object());
    for (const auto& [key, value] : inputs->json().items()) {
      const JsonField field = inputs->at(key);
      WARPJIT_TRY(const Named named, resolve(field, key, {RegisterFile::v}));
      WARPJIT_CHECK(claim(field, named.first));
      WARPJIT_CHECK(field.expect_keys({"format", "data", "file", "offset", "stride"}));
      LaunchInput input;
      input.name = key;
      input.reg = named.first.index;
      WARPJIT_TRY(const JsonField format, field.require("format"));
      WARPJIT_TRY(input.format, read_format(format));
      if (input.format.type == ComponentType::u32 || input.format.type == ComponentType::s32)
        return format.error("'" + warpjit::name(input.format) +
                            "' is for outputs; pica200 inputs are floats");
      if (field.has("data") == field.has("file")) return field.error("must have either 'data' or 'file'");
      input.stride = size(input.format);
      WARPJIT_CHECK(field.has("data") ? read_inline(field, input) : read_rows(field, input));
      launch_.inputs.push_back(std::move(input));
    }
    return {};
  }

  Status read_inline(const JsonField& field, LaunchInput& input) {
    for (const char* key : {"offset", "stride"})
      if (field.has(key)) return field.at(key).error("belongs to 'file'; 'data' is packed");
    const JsonField data = field.at("data");
    WARPJIT_CHECK(data.expect_array());
    const std::uint64_t wanted = launch_.count * input.format.components;
    if (data.size() != wanted)
      return data.error("has " + std::to_string(data.size()) + " numbers, but " +
                        std::to_string(launch_.count) + " threads of " + warpjit::name(input.format) +
                        " need " + std::to_string(wanted));
    input.buffer = launch_.buffers.size();
    launch_.buffers.emplace_back();
    return append_components(data, input.format.type, launch_.buffers.back().bytes);
  }

  Status read_rows(const JsonField& field, LaunchInput& input) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const JsonField file = field.at("file");
    WARPJIT_TRY(const std::string file_name, file.string());
    if (const auto offset = field.find("offset")) {
      WARPJIT_TRY(const std::int64_t bytes, offset->integer(0, kMost));
      input.offset = static_cast<std::uint64_t>(bytes);
    }
    if (const auto stride = field.find("stride")) {
      WARPJIT_TRY(const std::int64_t bytes, stride->integer(0, kMost));
      input.stride = static_cast<std::uint64_t>(bytes);
    }
    const auto [place, fresh] = files_read_.emplace(file_name, launch_.buffers.size());
    input.buffer = place->second;
    if (fresh) {
      auto bytes = files_(file_name);
      if (!bytes) return file.wrap(bytes.error());
      total_bytes_ += bytes->size();
      if (total_bytes_ > kMaxInputBytes)
        return file.error(
            "the files of this launch have more than " + std::to_string(kMaxInputBytes) + " bytes together",
            ErrorCode::resource_limit);
      launch_.buffers.push_back({file_name, std::move(*bytes)});
    }
    // Below 2^31 + 2^24 * 2^31: no overflow.
    const std::uint64_t end = input.offset + (launch_.count - 1) * input.stride + size(input.format);
    const std::uint64_t available = launch_.buffers[input.buffer].bytes.size();
    if (end > available)
      return field.error("reads " + std::to_string(end) + " bytes (offset " + std::to_string(input.offset) +
                         ", " + std::to_string(launch_.count) + " rows of stride " +
                         std::to_string(input.stride) + "), but '" + file_name + "' has " +
                         std::to_string(available));
    return {};
  }

  // A declared uniform of which no register is set is an error, and a declared input of which one is not.
  Status check_bound() const {
    for (const pica200::Symbol& symbol : launch_.program.symbols) {
      const bool input = symbol.first.file == RegisterFile::v;
      const unsigned declared = symbol.last - symbol.first.index + 1u;
      unsigned bound = 0;
      for (unsigned index = symbol.first.index; index <= symbol.last; ++index) {
        const Register reg{symbol.first.file, static_cast<std::uint8_t>(index)};
        const auto& presets = launch_.program.constants;
        bound += claimed_.contains({reg.file, reg.index}) ||
                 std::any_of(presets.begin(), presets.end(),
                             [&](const pica200::Constant& preset) { return preset.reg == reg; });
      }
      if (input ? bound == declared : bound != 0) continue;
      std::string message = "the program declares '" + symbol.name + "' (" + pica200::name(symbol.first);
      if (declared > 1) message += "-" + pica200::name({symbol.first.file, symbol.last});
      message += bound == 0 ? "), but nothing binds it" : "), but not all of it is bound";
      const std::string section = input ? "inputs" : "uniforms";
      const auto field = root_.find(section);
      return field ? field->error(message) : root_.error(message + ": there is no '" + section + "'");
    }
    return {};
  }

  // A register or flags, or an output by its declared name.
  Result<StateName> resolve_result(const JsonField& field, const std::string& text) const {
    const auto state = parse_state_name(text);
    if (state && (state->file != ExitFile::emit || launch_.is_geometry())) return *state;
    if (const pica200::Output* output = launch_.program.find_output(text))
      return StateName{ExitFile::o, static_cast<std::uint8_t>(output->reg)};
    if (text == "triangles")
      return field.error("triangles belong to geometry programs, and there to 'expect'");
    return field.error("'" + text +
                       "' is neither a register (o0-o15, r0-r15, a0, aL, cmp) nor an output of the program");
  }

  // The number of components that a result's format asks for.
  Result<unsigned> read_result_format(const JsonField& field, StateName state) const {
    const unsigned most = components(state);
    const auto format_field = field.find("format");
    if (!format_field) return most;
    WARPJIT_TRY(const Format format, read_format(*format_field));
    const bool integer = format.type == ComponentType::u32 || format.type == ComponentType::s32;
    if (!(is_float(state) ? format.type == ComponentType::f32 || integer : integer))
      return format_field->error("'" + warpjit::name(format) + "' is not possible: " + name(state) +
                                 " gives " +
                                 (is_float(state) ? "f32 (or its bits as u32 or s32)" : "s32 or u32"));
    if (format.components > most)
      return format_field->error(name(state) + " has " + std::to_string(most) + " components");
    return unsigned{format.components};
  }

  Status read_outputs() {
    WARPJIT_TRY(const JsonField outputs, root_.require("outputs"));
    WARPJIT_CHECK(outputs.expect_object());
    for (const auto& [key, value] : outputs.json().items()) {
      const JsonField field = outputs.at(key);
      WARPJIT_CHECK(field.expect_keys({"format"}));
      LaunchOutput output;
      output.name = key;
      WARPJIT_TRY(output.state, resolve_result(field, key));
      WARPJIT_TRY(const unsigned count, read_result_format(field, output.state));
      output.components = static_cast<std::uint8_t>(count);
      for (const LaunchOutput& other : launch_.outputs)
        if (other.state == output.state)
          return field.error(name(output.state) + " is already read by " + outputs.path() + "." + other.name);
      launch_.outputs.push_back(std::move(output));
    }
    if (!launch_.is_geometry()) return {};
    // Output registers are what vertices have: those listed, else those that the container enables.
    std::uint64_t listed = 0;
    std::erase_if(launch_.outputs, [&](const LaunchOutput& output) {
      if (output.state.file != ExitFile::o) return false;
      listed |= std::uint64_t{1} << output.state.index;
      return true;
    });
    if (listed != 0) launch_.geometry.outputs = listed;
    return {};
  }

  Status read_expectations() {
    const auto expect = root_.find("expect");
    if (!expect) return {};
    WARPJIT_CHECK(expect->expect_object());
    for (const auto& [key, value] : expect->json().items()) {
      const JsonField field = expect->at(key);
      if (launch_.is_geometry() && key == "triangles") {
        WARPJIT_TRY(launch_.triangles, read_triangles(field, launch_.program));
        for (const WantedTriangle& triangle : *launch_.triangles)
          if ((triangle.given & ~launch_.geometry.outputs) != 0)
            return field.error("names output registers that vertices do not have");
        continue;
      }
      WARPJIT_CHECK(field.expect_keys({"format", "data", "ulp", "abs", "rel"}));
      Expectation wanted;
      wanted.name = key;
      WARPJIT_TRY(wanted.state, resolve_result(field, key));
      if (launch_.is_geometry() && wanted.state.file == ExitFile::o)
        return field.error("output registers of geometry programs are expected in 'triangles'");
      WARPJIT_TRY(unsigned count, read_result_format(field, wanted.state));
      // Without a format of its own it has that of the output.
      if (!field.has("format"))
        for (const LaunchOutput& output : launch_.outputs)
          if (output.state == wanted.state) count = output.components;
      wanted.components = static_cast<std::uint8_t>(count);
      WARPJIT_CHECK(read_tolerances(field, wanted));
      WARPJIT_TRY(const JsonField data, field.require("data"));
      WARPJIT_CHECK(data.expect_array());
      // Invocations that a vertex stage makes are counted when they have run.
      if (launch_.vertex.empty() && data.size() != launch_.count * count)
        return data.error("has " + std::to_string(data.size()) + " numbers, but " +
                          std::to_string(launch_.count) + " threads of " + std::to_string(count) +
                          " components need " + std::to_string(launch_.count * count));
      std::vector<std::byte> bytes;
      const bool integers = !is_float(wanted.state);
      for (std::size_t k = 0; k < data.size(); ++k) {
        if (integers) {
          WARPJIT_TRY(const std::int64_t number,
                      data.at(k).integer(std::numeric_limits<std::int32_t>::min(), 0xFFFFFFFF, 33));
          wanted.words.push_back(static_cast<std::uint32_t>(number));
        } else {
          WARPJIT_TRY(const std::uint32_t bits, data.at(k).float_bits());
          wanted.words.push_back(bits);
        }
      }
      launch_.expectations.push_back(std::move(wanted));
    }
    return {};
  }

  static Status read_tolerances(const JsonField& field, Expectation& wanted) {
    for (const char* key : {"ulp", "abs", "rel"})
      if (field.has(key) && !is_float(wanted.state))
        return field.at(key).error("integers are compared exactly");
    if (const auto ulp = field.find("ulp")) {
      WARPJIT_TRY(const std::int64_t distance, ulp->integer(0, 0xFFFFFFFF));
      wanted.ulp = static_cast<std::uint32_t>(distance);
    }
    if (const auto absolute = field.find("abs")) {
      WARPJIT_TRY(wanted.absolute, absolute->tolerance());
    }
    if (const auto relative = field.find("rel")) {
      WARPJIT_TRY(wanted.relative, relative->tolerance());
    }
    return {};
  }

  JsonField root_;
  const FileReader& files_;
  LaunchFile launch_;
  std::map<std::pair<RegisterFile, std::uint8_t>, std::string> claimed_;  // set registers, and by which field
  std::map<std::string, std::size_t> files_read_;                         // buffer of a file
  std::uint64_t total_bytes_ = 0;
};

}  // namespace

Result<LaunchFile> parse_launch(std::string_view text, const std::string& name, const FileReader& files) {
  WARPJIT_TRY(const auto document, parse_json(text, name));
  WARPJIT_TRY(LaunchFile launch, Reader(JsonField(document, name), files).read());
  launch.name = name;
  return launch;
}

Result<LaunchFile> read_launch(const std::filesystem::path& path) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(path, kMaxJsonBytes));
  return parse_launch(as_text(bytes), path.string(), folder_reader(path.parent_path()));
}

}  // namespace warpjit::tool
