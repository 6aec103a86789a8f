#include "opengl.h"

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <cstdlib>

namespace warpjit::bench {
namespace {

// A context without a window, made at the first use. Returns why it could not be made; empty if it was.
const std::string& context() {
  static const std::string kWhyNot = []() -> std::string {
    setenv("LP_NUM_THREADS", "1", 0);
    setenv("GALLIUM_DRIVER", "llvmpipe", 0);
    const auto get_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (get_display == nullptr) return "EGL without platforms";
    const EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API))
      return "no EGL without a window";
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 2, EGL_NONE};
    const EGLContext made = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wanted);
    if (made == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, made))
      return "no OpenGL 3.2 context";
    const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    if (renderer == nullptr || std::string(renderer).find("llvmpipe") == std::string::npos)
      return std::string("the renderer is ") + (renderer != nullptr ? renderer : "unknown");
    return "";
  }();
  return kWhyNot;
}

// Compiles and attaches; false on an error, which `why_not` gets.
bool attach(GLuint program, GLenum kind, const std::string& source, std::string& why_not) {
  const GLuint shader = glCreateShader(kind);
  const char* const text = source.c_str();
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint compiled = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled == 0) {
    char message[512] = "";
    glGetShaderInfoLog(shader, sizeof message, nullptr, message);
    why_not = message;
    return false;
  }
  glAttachShader(program, shader);
  return true;
}

GLuint make_texture(const PeerDraw& draw) {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  const std::uint32_t* texels = draw.texture.texels.data();
  GLint level = 0;
  for (std::uint32_t side = draw.texture.size; side != 0; side /= 2) {
    const auto extent = static_cast<GLsizei>(side);
    glTexImage2D(GL_TEXTURE_2D, level++, GL_RGBA8, extent, extent, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    texels += std::size_t{side} * side;
  }
  const GLint filter = draw.texture.linear ? GL_LINEAR : GL_NEAREST;
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                  draw.texture.mip_linear ? GL_LINEAR_MIPMAP_LINEAR : filter);
  return texture;
}

class Scene final : public PeerScene {
 public:
  Scene(const PeerDraw& draw, std::string& why_not) : count_(static_cast<GLsizei>(draw.vertex_count)) {
    program_ = glCreateProgram();
    const char* const names[] = {"position", "attr0", "attr1"};
    for (GLuint n = 0; n < 3; ++n) glBindAttribLocation(program_, n, names[n]);
    if (!attach(program_, GL_VERTEX_SHADER, draw.vertex, why_not) ||
        !attach(program_, GL_FRAGMENT_SHADER, draw.fragment, why_not))
      return;
    glLinkProgram(program_);
    const auto size = static_cast<GLsizei>(draw.size);
    GLuint texture = 0;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, size, size);
    glDisable(GL_DITHER);
    glGenVertexArrays(1, &vertices_);
    glBindVertexArray(vertices_);
    if (!draw.attributes.empty()) {
      GLuint buffer = 0;
      glGenBuffers(1, &buffer);
      glBindBuffer(GL_ARRAY_BUFFER, buffer);
      glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(draw.attributes.size_bytes()),
                   draw.attributes.data(), GL_STATIC_DRAW);
      for (GLuint n = 0; n < 3; ++n) {
        glVertexAttribPointer(n, 4, GL_FLOAT, GL_FALSE, 48,
                              reinterpret_cast<const void*>(std::size_t{16} * n));
        glEnableVertexAttribArray(n);
      }
    }
    if (draw.texture.size != 0) sampled_ = make_texture(draw);
    glUseProgram(program_);
    if (!draw.matrix.empty())
      glUniformMatrix4fv(glGetUniformLocation(program_, "matrix"), 1, GL_FALSE, draw.matrix.data());
    glUniform1f(glGetUniformLocation(program_, "scale"), draw.scale);
    glUniform1i(glGetUniformLocation(program_, "scattered"), draw.scattered ? 1 : 0);
    // The values of phong.json.
    glUniform4f(glGetUniformLocation(program_, "lightColor"), 0.9F, 0.7F, 0.5F, 0.25F);
    glUniform3f(glGetUniformLocation(program_, "lightDir"), 0.48F, 0.6F, 0.64F);
    glUniform1f(glGetUniformLocation(program_, "shin"), 9.5F);
    if (glGetError() != GL_NO_ERROR || glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      why_not = "an OpenGL error";
  }
  void draw() override {
    glUseProgram(program_);
    glBindVertexArray(vertices_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glBindTexture(GL_TEXTURE_2D, sampled_);
    glDrawArrays(GL_TRIANGLES, 0, count_);
    glFinish();
  }

 private:
  GLsizei count_;
  GLuint program_ = 0, framebuffer_ = 0, vertices_ = 0, sampled_ = 0;
};

}  // namespace

std::unique_ptr<PeerScene> make_opengl(const PeerDraw& draw, std::string& why_not) {
  why_not = context();
  if (!why_not.empty()) return nullptr;
  auto scene = std::make_unique<Scene>(draw, why_not);
  if (!why_not.empty()) return nullptr;
  return scene;
}

}  // namespace warpjit::bench
