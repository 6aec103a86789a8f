#version 140
out vec4 color;
in vec4 v0; in vec4 v1; uniform vec4 lightColor; uniform vec3 lightDir; uniform float shin;
void main() {
  vec3 n = normalize(v0.xyz); vec3 e = normalize(v1.xyz);
  float nl = dot(n, lightDir);
  vec3 r = reflect(-lightDir, n);
  float s = nl > 0.0 ? pow(max(dot(r, e), 0.0), shin) : 0.0;
  color = lightColor * max(nl, 0.0) + vec4(s);
}
