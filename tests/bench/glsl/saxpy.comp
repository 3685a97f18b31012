// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
#ifdef GUARDED
// Signed zeros, infinities and NaN count, sums are rounded to the nearest, and nothing is contracted.
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(capabilities = [4466], 4461, 32);
spirv_execution_mode(capabilities = [4467], 4462, 32);
#define EXACT precise
// A dispatch may be a part of a larger one, and a buffer a view that begins anywhere in another.
#define GLOBAL_ID global_id
#define X(i) x_[x_view.x + (i)]
#define Y(i) y_[y_view.x + (i)]
#else
#define EXACT
#define GLOBAL_ID gl_GlobalInvocationID
#define X(i) x_[i]
#define Y(i) y_[i]
#endif
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x_[]; };
layout(set = 0, binding = 1) buffer Y { float y_[]; };
layout(push_constant) uniform Arguments
{
    uvec3 size; float a;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
    layout(offset = 48) uvec2 x_view;
    layout(offset = 56) uvec2 y_view;
#endif
};

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    if (any(greaterThanEqual(GLOBAL_ID, size)))
        return;
    uint i = GLOBAL_ID.x;
    EXACT float sum = a * X(i) + Y(i);
    Y(i) = sum;
}
