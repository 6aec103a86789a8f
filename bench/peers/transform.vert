#version 140
in vec4 position, attr0;
out vec4 v0;
uniform mat4 matrix;
void main() { gl_Position = matrix * vec4(position.xyz, 1.0); v0 = attr0; }
