// Recording by the C interface.
#include <algorithm>

#include "draws.h"
#include "support/same_bytes.h"
#include "warpjit/usse.h"

namespace warpjit::usse {
namespace {

int32_t take(void* context, const void* bytes, size_t size) {
  append(context, {static_cast<const std::byte*>(bytes), size});
  return 1;
}

TEST(UsseRecorderInC, RecordsScenes) {
  std::vector<std::byte> file;
  std::vector<std::uint64_t> words(8 * 8 / 2, 0x1122334455667788);
  warpjit_usse_memory memory{0x81000000, 0, words.data(), 8 * words.size()};
  warpjit_error error{};
  error.size = sizeof error;
  warpjit_usse_recorder* recorder = nullptr;
  EXPECT_EQ(warpjit_usse_recorder_begin(nullptr, nullptr, nullptr, 0, &recorder, &error), WARPJIT_BAD_INPUT);
  ASSERT_EQ(warpjit_usse_recorder_begin(take, &file, &memory, 1, &recorder, &error), WARPJIT_OK);
  warpjit_usse_color_surface color{};
  color.size = sizeof color;
  color.width = color.height = color.stride = 8;
  color.data = words.data();
  color.byte_count = 8 * words.size();
  warpjit_usse_scene* scene = nullptr;
  ASSERT_EQ(warpjit_usse_scene_begin_recorded(recorder, &color, nullptr, &scene, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_usse_scene_end(scene, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_usse_recorder_end_frame(recorder, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_usse_recorder_end(recorder, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_usse_recorder_end(recorder, &error), WARPJIT_BAD_INPUT);
  warpjit_usse_recorder_destroy(recorder);
  const std::size_t size = file.size();
  // The scene goes on.
  EXPECT_EQ(warpjit_usse_scene_end(scene, &error), WARPJIT_OK);
  warpjit_usse_scene_destroy(scene);
  EXPECT_EQ(file.size(), size);
  const auto list = read(file);
  ASSERT_TRUE(list.ok()) << to_string(list.error());
  ASSERT_EQ(list->steps.size(), 2u);
  EXPECT_EQ(std::get<SceneBegin>(list->steps[0]).address, 0x81000000u);
  EXPECT_TRUE(tests::same_bytes(list->memory.at(0).bytes, std::as_bytes(std::span(words))));

  // Without an end the file is cut, and nothing more is written.
  ASSERT_EQ(warpjit_usse_recorder_begin(take, &file, nullptr, 0, &recorder, &error), WARPJIT_OK);
  ASSERT_EQ(warpjit_usse_scene_begin_recorded(recorder, &color, nullptr, &scene, &error), WARPJIT_OK);
  warpjit_usse_recorder_destroy(recorder);
  const std::size_t cut = file.size();
  EXPECT_EQ(warpjit_usse_scene_end(scene, &error), WARPJIT_OK);
  warpjit_usse_scene_destroy(scene);
  EXPECT_EQ(file.size(), cut);
}

}  // namespace
}  // namespace warpjit::usse
