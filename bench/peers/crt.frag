#version 140
// examples/usse/graphics/crt.usse
out vec4 o; uniform sampler2D s; uniform float scale;
void main() {
  vec2 place = gl_FragCoord.xy * scale - 1.0;
  vec2 q = (dot(place, place) * 0.06 + 0.92) * place;
  vec2 texel = (q + 1.0) * 16.0, x = texel - 0.5, f = fract(x);
  vec2 c = ((x - f) + clamp((f - 0.5) * 3.0 + 0.5, 0.0, 1.0) + 0.5) * 0.03125;
  vec3 light = texture(s, c).xyz;
  float row = fract(texel.y) - 0.5;
  row = (1.0 - row * row * 1.8) * 1.6;
  vec3 stripe = fract(gl_FragCoord.x * 0.333333343) - vec3(0.166666672, 0.5, 0.833333313);
  light = light * (1.0 - stripe * stripe * 2.0) * row;
  o = vec4(max(q.x * q.x, q.y * q.y) > 1.0 ? vec3(0.0) : light, 1.0);
}
