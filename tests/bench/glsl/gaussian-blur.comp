// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
#extension GL_EXT_samplerless_texture_functions : require
#ifdef GUARDED
// Signed zeros, infinities and NaN count, sums are rounded to the nearest, and nothing is contracted.
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(capabilities = [4466], 4461, 32);
spirv_execution_mode(capabilities = [4467], 4462, 32);
#define EXACT precise
// A dispatch may be a part of a larger one, and a buffer a view that begins anywhere in another.
#define GLOBAL_ID global_id
#else
#define EXACT
#define GLOBAL_ID gl_GlobalInvocationID
#endif
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform texture2D source;
layout(set = 0, binding = 1) uniform writeonly image2D target;
layout(push_constant) uniform Arguments
{
    uvec3 size;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
#endif
};

const float weights[7] = { 0.19968, 0.17621, 0.12111, 0.06483, 0.02702, 0.00877, 0.00222 };

vec4 blur(ivec2 at, ivec2 direction)
{
    ivec2 last = textureSize(source, 0) - 1;
    EXACT vec4 sum = texelFetch(source, at, 0) * weights[0];

    for (int i = 1; i < 7; ++i)
    {
        vec4 before = texelFetch(source, clamp(at - direction * i, ivec2(0), last), 0);
        vec4 after = texelFetch(source, clamp(at + direction * i, ivec2(0), last), 0);
        sum += (before + after) * weights[i];
    }
    return sum;
}

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    if (any(greaterThanEqual(GLOBAL_ID, size)))
        return;
    ivec2 at = ivec2(GLOBAL_ID.xy);
    imageStore(target, at, blur(at, ivec2(1, 0)));
}
