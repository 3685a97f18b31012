// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_control_flow_attributes : require
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
    uvec3 size; float gain;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
#endif
};

const int horizontal[3][3] = { { -1, 0, 1 }, { -2, 0, 2 }, { -1, 0, 1 } };

float luma(vec4 colour)
{
    EXACT float sum = dot(colour.rgb, vec3(0.2126, 0.7152, 0.0722));
    return sum;
}

float saturate(float x)
{
#ifdef GUARDED
    return isnan(x) ? 0 : clamp(x, 0, 1);
#else
    return clamp(x, 0, 1);
#endif
}

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    if (any(greaterThanEqual(GLOBAL_ID, size)))
        return;
    ivec2 at = ivec2(GLOBAL_ID.xy);
    ivec2 last = textureSize(source, 0) - 1;
    EXACT vec2 gradient = vec2(0);

    [[unroll]] for (int y = 0; y < 3; ++y)
    {
        [[unroll]] for (int x = 0; x < 3; ++x)
        {
            float brightness = luma(texelFetch(source, clamp(at + ivec2(x, y) - 1, ivec2(0), last), 0));
            gradient += brightness * vec2(float(horizontal[y][x]), float(horizontal[x][y]));
        }
    }
    EXACT float edge = saturate(length(gradient) * gain);
    imageStore(target, at, vec4(vec3(edge), 1));
}
