// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform writeonly image2D picture;
layout(push_constant) uniform Arguments { uvec3 size; float height; vec2 centre; uint max_steps; };

float escape_time(vec2 c, uint max_steps)
{
    vec2 z = vec2(0);
    for (uint i = 0; i < max_steps; ++i)
    {
        z = vec2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        float distance = dot(z, z);
        if (distance > 256)
            return float(i) + 1 - log2(log2(distance) * 0.5);
    }
    return float(max_steps);
}

vec3 palette(float t)
{
    const float turn = 6.2831853;
    return 0.5 + 0.5 * vec3(cos(turn * (t + 0.55)), cos(turn * (t + 0.65)), cos(turn * (t + 0.75)));
}

void main()
{
    if (any(greaterThanEqual(gl_GlobalInvocationID, size)))
        return;
    vec2 extent = vec2(imageSize(picture));
    vec2 offset = (vec2(gl_GlobalInvocationID.xy) + 0.5 - 0.5 * extent) / extent.y;
    vec2 c = centre + vec2(offset.x, -offset.y) * height;
    float steps = escape_time(c, max_steps);

    vec3 colour = vec3(0);
    if (steps < float(max_steps))
        colour = palette(fract(sqrt(max(steps, 0)) * 0.125));
    imageStore(picture, ivec2(gl_GlobalInvocationID.xy), vec4(colour, 1));
}
