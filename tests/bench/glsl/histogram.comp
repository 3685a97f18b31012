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
#define COUNTS(i) counts_[counts_view.x + (i)]
#else
#define EXACT
#define GLOBAL_ID gl_GlobalInvocationID
#define COUNTS(i) counts_[i]
#endif
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform texture2D source;
layout(set = 0, binding = 1) buffer Counts { uint counts_[]; };
layout(push_constant) uniform Arguments
{
    uvec3 size;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
    layout(offset = 56) uvec2 counts_view;
#endif
};

shared uint found[256];

float saturate(float x)
{
#ifdef GUARDED
    return isnan(x) ? 0 : clamp(x, 0, 1);
#else
    return clamp(x, 0, 1);
#endif
}

// Saturates; NaN becomes 0.
uint to_uint(float x)
{
#ifdef GUARDED
    float positive = x >= 0 ? x : 0;
    bool fits = positive < 4294967296.0;
    uint converted = uint(fits ? positive : 4294967040.0);
    uint saturated = fits ? converted : 0xffffffff;
    return (floatBitsToUint(x) & 0x7fffffff) > 0x7f800000 ? 0 : saturated;
#else
    return uint(x);
#endif
}

uint brightness(vec4 colour)
{
    EXACT float level = saturate(dot(colour.rgb, vec3(0.2126, 0.7152, 0.0722))) * 255 + 0.5;
    return to_uint(level);
}

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    uint mine = gl_LocalInvocationID.y * 16 + gl_LocalInvocationID.x;
    found[mine] = 0;
    barrier();

    for (uint y = GLOBAL_ID.y; y < textureSize(source, 0).y; y += size.y)
        for (uint x = GLOBAL_ID.x; x < textureSize(source, 0).x; x += size.x)
            atomicAdd(found[brightness(texelFetch(source, ivec2(x, y), 0))], 1);
    barrier();

    if (found[mine] > 0)
        atomicAdd(COUNTS(mine), found[mine]);
}
