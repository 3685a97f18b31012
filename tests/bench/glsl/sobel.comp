// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) uniform texture2D source;
layout(set = 0, binding = 1) uniform writeonly image2D target;
layout(push_constant) uniform Arguments { uvec3 size; float gain; };

const int horizontal[3][3] = { { -1, 0, 1 }, { -2, 0, 2 }, { -1, 0, 1 } };

float luma(vec4 colour)
{
    return dot(colour.rgb, vec3(0.2126, 0.7152, 0.0722));
}

void main()
{
    if (any(greaterThanEqual(gl_GlobalInvocationID, size)))
        return;
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 last = textureSize(source, 0) - 1;
    vec2 gradient = vec2(0);

    [[unroll]] for (int y = 0; y < 3; ++y)
    {
        [[unroll]] for (int x = 0; x < 3; ++x)
        {
            float brightness = luma(texelFetch(source, clamp(at + ivec2(x, y) - 1, ivec2(0), last), 0));
            gradient += brightness * vec2(float(horizontal[y][x]), float(horizontal[x][y]));
        }
    }
    float edge = clamp(length(gradient) * gain, 0.0, 1.0);
    imageStore(target, at, vec4(vec3(edge), 1));
}
