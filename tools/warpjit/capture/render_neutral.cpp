// warpjit render of a capture of any guest: its pictures, compared and written.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "capture/neutral.h"
#include "capture_names.h"
#include "command.h"
#include "files.h"
#include "output.h"

namespace warpjit::tool {

namespace {

class PictureWriter final : public CaptureVisitor {
 public:
  PictureWriter(const NeutralRender& options, const NameTable& names) : options_(options), names_(names) {}

  bool job(const CaptureJob&) override {
    ++jobs;
    return true;
  }
  bool draw(const CaptureDraw& draw) override {
    ++draws;
    for (const CaptureDraw::Program& program : draw.programs) {
      if (program.report == nullptr) continue;
      engine = program.report->engine;
      primitives += program.report->primitives;
      if (!program.report->fault) continue;
      fault_texts.push_back(fmt::format("draw {}{}, {} program: {}", draw.number, names_.of_draw(draw.number),
                                        program.stage, fault_text(*program.report->fault)));
      Json json{{"draw", draw.number}, {"program", std::string(program.stage)}};
      json.update(fault_json(*program.report->fault));
      faults.push_back(std::move(json));
    }
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    const Status written = take(picture);
    if (!written) error = written.error();
    return written.ok();
  }
  // A PNG is the last picture of its name.
  Status finish() {
    if (options_.out.empty() || !one_picture()) return {};
    if (last_) return write_picture(options_.out, write_png(*last_));
    return Error{ErrorCode::bad_input, "the capture has no picture '" + options_.picture + "'", "--show"};
  }

  std::size_t jobs = 0, draws = 0;
  std::uint64_t primitives = 0;
  std::optional<EngineKind> engine;
  Json pictures = Json::array(), faults = Json::array();
  std::vector<std::string> texts, fault_texts;
  bool holds = true;
  std::optional<Error> error;

 private:
  bool one_picture() const { return options_.out.ends_with(".png"); }

  Status take(const CapturePicture& picture) {
    const std::string label = picture_label(picture);
    Json row{{"name", label},
             {"frame", picture.frame},
             {"job", picture.job},
             {"target", std::string(picture.name)},
             {"format", name(picture.format)},
             {"width", picture.width},
             {"height", picture.height},
             {"hash", fmt::format("{:016x}", hash_of(picture))}};
    if (picture.address != 0) row["address"] = fmt::format("{:#010x}", picture.address);
    if (!options_.raw.empty()) WARPJIT_CHECK(write_raw(label, picture.bytes));
    WARPJIT_CHECK(write_image(label, picture, row));
    std::string text = label;
    if (!picture.compared) {
      text += ": not compared";
    } else {
      const CaptureComparison& compared = *picture.compared;
      const char* const what = picture.format == PixelFormat::none ? "bytes" : "pixels";
      holds = holds && compared.holds();
      text += compared.differ == 0 ? fmt::format(": {} {}, equal", compared.units, what)
                                   : fmt::format(": {} of {} {} differ, {} by more than is allowed: {}{}",
                                                 compared.differ, compared.units, what, compared.beyond,
                                                 compared.holds() ? "within its tolerance" : "wrong",
                                                 compared.holds() ? "" : first_pixel_text(picture));
      row["differ"] = compared.differ;
      row["beyond"] = compared.beyond;
      row["allowed"] = compared.allowed;
    }
    texts.push_back(std::move(text));
    pictures.push_back(std::move(row));
    return {};
  }

  Status write_raw(const std::string& label, std::span<const std::byte> bytes) const {
    return write_file(path_of(options_.raw) / path_of(label + ".bin"), bytes);
  }
  Status write_image(const std::string& label, const CapturePicture& picture, Json& row) {
    if (options_.out.empty()) return {};
    if (one_picture()) {
      if (picture.name == options_.picture) last_ = image_of(picture);
      return {};
    }
    const std::optional<Image> image = image_of(picture);
    if (!image) return {};
    const std::string file = name_of(path_of(options_.out) / path_of(label + ".png"));
    WARPJIT_CHECK(write_picture(file, write_png(*image)));
    row["file"] = file;
    return {};
  }

  const NeutralRender& options_;
  const NameTable& names_;
  std::optional<Image> last_;
};

Status make_folder(const std::string& folder) {
  if (folder.empty() || folder.ends_with(".png")) return {};
  std::error_code failure;
  std::filesystem::create_directories(path_of(folder), failure);
  if (failure) return Error{ErrorCode::io, "the folder cannot be made: " + failure.message(), folder};
  return {};
}

}  // namespace

int render_neutral(const NeutralRender& options) {
  const auto capture = load_neutral_capture(options.file);
  if (!capture) return fail(capture.error());
  for (const std::string& folder : {options.out, options.raw})
    if (const Status made = make_folder(folder); !made) return fail(made.error());
  const NameTable names(capture->names());
  PictureWriter writer(options, names);
  const Engine engine;
  const auto start = std::chrono::steady_clock::now();
  if (const Status done = capture->run(engine, writer, options.run); !done)
    return fail(names.in(done.error()));
  const double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (writer.error) return fail(*writer.error);
  if (const Status written = writer.finish(); !written) return fail(written.error());
  const EngineKind kind = writer.engine.value_or(options.run.engine);
  if (options.json) {
    Json json{{"file", options.file},
              {"isa", name(capture->isa())},
              {"engine", name(kind)},
              {"frames", capture->frames()},
              {"jobs", writer.jobs},
              {"draws", writer.draws},
              {"primitives", writer.primitives},
              {"total_ms", milliseconds},
              {"pictures", std::move(writer.pictures)}};
    if (!writer.faults.empty()) json["faults"] = std::move(writer.faults);
    print_json(json);
  } else {
    for (const std::string& text : writer.texts) print_out("{}\n", text);
    print_out("{}: {} frame{}, {} jobs, {} draws, {} primitives, engine {}, {:.2f} ms\n", options.file,
              capture->frames(), capture->frames() == 1 ? "" : "s", writer.jobs, writer.draws,
              writer.primitives, name(kind), milliseconds);
  }
  for (const std::string& fault : writer.fault_texts) print_err("warpjit: fault: {}\n", fault);
  return run_exit_code(!writer.holds, !writer.fault_texts.empty(), options.ignore_faults);
}

}  // namespace warpjit::tool
