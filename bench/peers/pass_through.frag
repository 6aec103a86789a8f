#version 140
in vec4 v0;
out vec4 color;
void main() { color = v0; }
