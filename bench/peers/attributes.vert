#version 140
in vec4 position, attr0, attr1;
out vec4 v0, v1;
void main() { gl_Position = position; v0 = attr0; v1 = attr1; }
