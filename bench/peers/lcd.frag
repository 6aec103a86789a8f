#version 140
// examples/usse/graphics/lcd.usse
out vec4 o; uniform sampler2D s; uniform float scale;
void main() {
  vec2 place = gl_FragCoord.xy * scale;
  vec4 angle = place.xxxy * 201.06193 + vec4(0.52359878, -1.57079633, -3.66519143, -1.57079633);
  vec4 light = sin(angle) * vec4(0.45, 0.45, 0.45, 0.25) + vec4(0.75, 0.75, 0.75, 0.95);
  o = vec4(texture(s, place).xyz * light.xyz * light.w, 1.0);
}
