#version 140
// A triangle that covers the target.
void main() { gl_Position = vec4(float((gl_VertexID & 1) * 4 - 1), float((gl_VertexID & 2) * 2 - 1), 0.5, 1.0); }
