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
#define A(i) a_[a_view.x + (i)]
#define B(i) b_[b_view.x + (i)]
#define PRODUCT(i) product_[product_view.x + (i)]
#else
#define EXACT
#define GLOBAL_ID gl_GlobalInvocationID
#define A(i) a_[i]
#define B(i) b_[i]
#define PRODUCT(i) product_[i]
#endif
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float a_[]; };
layout(set = 0, binding = 1) readonly buffer B { float b_[]; };
layout(set = 0, binding = 2) buffer Product { float product_[]; };
layout(push_constant) uniform Arguments
{
    uvec3 size; uint inner;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
    layout(offset = 48) uvec2 a_view;
    layout(offset = 56) uvec2 b_view;
    layout(offset = 64) uvec2 product_view;
#endif
};

const uint TILE = 16;

shared float a_tile[TILE][TILE];
shared float b_tile[TILE][TILE];

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    uint columns = size.x;
    uint rows = size.y;
    uint column = GLOBAL_ID.x;
    uint row = GLOBAL_ID.y;
    uint x = gl_LocalInvocationID.x;
    uint y = gl_LocalInvocationID.y;

    EXACT float sum = 0;
    for (uint first = 0; first < inner; first += TILE)
    {
        bool in_a = row < rows && first + x < inner;
        bool in_b = column < columns && first + y < inner;
        a_tile[y][x] = in_a ? A(row * inner + first + x) : 0;
        b_tile[y][x] = in_b ? B((first + y) * columns + column) : 0;
        barrier();

        for (uint i = 0; i < TILE; ++i)
            sum += a_tile[y][i] * b_tile[i][x];
        barrier();
    }
    if (all(lessThan(GLOBAL_ID, size)))
        PRODUCT(row * columns + column) = sum;
}
