// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Arguments { uvec3 size; float a; };

void main()
{
    if (any(greaterThanEqual(gl_GlobalInvocationID, size)))
        return;
    uint i = gl_GlobalInvocationID.x;
    y[i] = a * x[i] + y[i];
}
