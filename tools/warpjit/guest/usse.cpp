#include <fmt/core.h>

#include "files.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/assembly/disassemble.h"
#include "frontend/usse/shader.h"
#include "guest/guest.h"

namespace warpjit::tool {

namespace {

const usse::Program& usse_program(const frontend::Shader& shader) {
  return static_cast<const usse::Shader&>(shader).program();
}

// The only program of a source.
class UsseSource final : public Container {
 public:
  explicit UsseSource(usse::Program program) : program_(std::move(program)) {}

  std::size_t size() const override { return 1; }
  Stage stage(std::size_t) const override { return program_.stage; }
  Result<ShaderPtr> load(const ProgramRequest& request, const GuestModes&) const override {
    const auto wrong = [&](std::string message) {
      return Error{ErrorCode::bad_input, std::move(message), program_.source_name};
    };
    if (!request.entry.empty() || request.address)
      return wrong("programs of this guest have no names and begin with the first word");
    if (request.stage && *request.stage != program_.stage)
      return wrong(fmt::format("the source is a {} program", name(program_.stage)));
    return ShaderPtr(std::make_shared<usse::Shader>(program_));
  }

 private:
  usse::Program program_;
};

class UsseGuest final : public Guest {
 public:
  Isa isa() const override { return Isa::usse; }
  bool runs(Stage) const override { return false; }
  std::span<const Stage> stages() const override {
    static constexpr Stage kStages[] = {Stage::vertex, Stage::fragment};
    return kStages;
  }

  std::string_view file_kinds() const override { return "a USSE assembly source (whose name ends in .usse)"; }
  bool recognizes(std::string_view, const std::string& name) const override {
    return name.ends_with(".usse");
  }
  Result<std::unique_ptr<Container>> read(std::span<const std::byte> bytes,
                                          const std::string& name) const override {
    WARPJIT_TRY(usse::Program program, usse::assemble(as_text(bytes), name));
    return std::unique_ptr<Container>(new UsseSource(std::move(program)));
  }
  WordsLimits words_limits() const override { return {.code = 2 * usse::kMaxCodeWords}; }
  Result<ShaderPtr> load_words(const RawWords& words, const GuestModes&) const override {
    WARPJIT_TRY(usse::Program program,
                usse::read_words(std::as_bytes(std::span(words.code)), words.stage, words.source_name));
    return ShaderPtr(std::make_shared<usse::Shader>(std::move(program)));
  }
  Result<Assembled> assemble(std::span<const SourceText> sources,
                             const AssembleOptions& options) const override {
    if (options.labels) return Error{ErrorCode::bad_input, "bare binaries have no labels", "--labels"};
    if (sources.size() != 1)
      return Error{ErrorCode::bad_input, "programs are assembled one source at a time", sources[1].name};
    WARPJIT_TRY(usse::Program program, usse::assemble(sources[0].text, sources[0].name));
    Assembled assembled;
    WARPJIT_TRY(assembled.container, usse::write_words(program));
    assembled.summary = fmt::format("{} instructions", program.primary.size());
    assembled.programs = std::make_unique<UsseSource>(std::move(program));
    return assembled;
  }

  Status read_modes(const JsonField& field, GuestModes&) const override { return field.expect_keys({}); }
  Json words_json(const frontend::Shader& shader) const override {
    Json words = Json::array();
    for (const std::uint64_t word : usse_program(shader).primary)
      for (const unsigned half : {0, 32}) words.push_back(hex(static_cast<std::uint32_t>(word >> half)));
    return {{"words", std::move(words)}};
  }
  Json modes_json(const frontend::Shader&) const override { return Json::object(); }
  std::string_view register_names(LocationKind) const override { return "none"; }

  Result<std::string> list(const frontend::Shader& shader, const ListOptions& options) const override {
    if (!options.names)
      return Error{ErrorCode::bad_input, "registers of this guest have no names but their own", "--no-names"};
    // Every form of the listing is exact.
    return usse::disassemble(usse_program(shader), {.words = options.words, .labels = options.labels});
  }
  Json list_json(const frontend::Shader& shader) const override {
    Json list = Json::array();
    const auto add = [&](const std::vector<std::uint64_t>& code, const char* section) {
      for (std::size_t k = 0; k < code.size(); ++k) {
        Json row{{"section", section}, {"address", k}, {"words", {fmt::format("{:#018x}", code[k])}}};
        if (const auto decoded = usse::decode(code[k])) {
          row["text"] = usse::disassemble(*decoded);
          row["mnemonic"] = usse::name(decoded->opcode);
        }
        list.push_back(std::move(row));
      }
    };
    add(usse_program(shader).secondary, "secondary");
    add(usse_program(shader).primary, "primary");
    return list;
  }
  std::string instruction(const frontend::Shader& shader, std::uint32_t address) const override {
    const std::vector<std::uint64_t>& code = usse_program(shader).primary;
    if (address >= code.size()) return {};
    const auto decoded = usse::decode(code[address]);
    return decoded ? usse::disassemble(*decoded) : std::string();
  }
  void describe(const frontend::Shader&, Json&) const override {}
};

}  // namespace

const Guest& usse_guest() {
  static const UsseGuest kGuest;
  return kGuest;
}

}  // namespace warpjit::tool
