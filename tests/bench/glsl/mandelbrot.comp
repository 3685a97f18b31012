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
#else
#define EXACT
#define GLOBAL_ID gl_GlobalInvocationID
#endif
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform writeonly image2D picture;
layout(push_constant) uniform Arguments
{
    uvec3 size; float height; vec2 centre; uint max_steps;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
#endif
};

// What is left of a negative number and of NaN is 0.
float not_negative(float x)
{
#ifdef GUARDED
    return isnan(x) ? 0 : max(x, 0);
#else
    return max(x, 0);
#endif
}

float escape_time(vec2 c, uint max_steps)
{
    EXACT vec2 z = vec2(0);
    for (uint i = 0; i < max_steps; ++i)
    {
        z = vec2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        EXACT float distance = dot(z, z);
        if (distance > 256)
        {
            EXACT float steps = float(i) + 1 - log2(log2(distance) * 0.5);
            return steps;
        }
    }
    return float(max_steps);
}

vec3 palette(float t)
{
    const float turn = 6.2831853;
    EXACT vec3 colour = 0.5 + 0.5 * vec3(cos(turn * (t + 0.55)), cos(turn * (t + 0.65)), cos(turn * (t + 0.75)));
    return colour;
}

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    if (any(greaterThanEqual(GLOBAL_ID, size)))
        return;
    vec2 extent = vec2(imageSize(picture));
    EXACT vec2 offset = (vec2(GLOBAL_ID.xy) + 0.5 - 0.5 * extent) / extent.y;
    EXACT vec2 c = centre + vec2(offset.x, -offset.y) * height;
    float steps = escape_time(c, max_steps);

    vec3 colour = vec3(0);
    if (steps < float(max_steps))
    {
        EXACT float t = fract(sqrt(not_negative(steps)) * 0.125);
        colour = palette(t);
    }
    imageStore(picture, ivec2(GLOBAL_ID.xy), vec4(colour, 1));
}
