// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform texture2D source;
layout(set = 0, binding = 1) uniform writeonly image2D target;
layout(push_constant) uniform Arguments { uvec3 size; };

const float weights[7] = { 0.19968, 0.17621, 0.12111, 0.06483, 0.02702, 0.00877, 0.00222 };

vec4 blur(ivec2 at, ivec2 direction)
{
    ivec2 last = textureSize(source, 0) - 1;
    vec4 sum = texelFetch(source, at, 0) * weights[0];

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
    if (any(greaterThanEqual(gl_GlobalInvocationID, size)))
        return;
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(target, at, blur(at, ivec2(1, 0)));
}
