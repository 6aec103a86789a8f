#version 140
out vec4 o; uniform sampler2D s; uniform float scale; uniform bool scattered;
void main() {
  vec2 p = gl_FragCoord.xy, q = p * scale;
  vec2 c = scattered ? vec2(p.x * 27.930452 + p.y * 21.084084, p.x * 32.755798 + p.y * 20.244199)
                     : vec2(0.9 * q.x + 0.3 * q.y + 0.1, -0.3 * q.x + 0.9 * q.y + 0.2);
  vec4 t = texture(s, c) * vec4(0.9, 0.8, 0.7, 1.0) + vec4(0.05, 0.1, 0.15, 0.0);
  t = min(t * t, vec4(0.85, 0.85, 0.85, 1.0));
  o = t * vec4(1.1, 1.1, 1.1, 1.0);
}
