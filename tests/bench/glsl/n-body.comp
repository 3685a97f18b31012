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
#define BODIES(i) bodies_[bodies_view.x + (i)]
#define BODIES_LENGTH bodies_view.y
#define VELOCITIES(i) velocities_[velocities_view.x + (i)]
#else
#define EXACT
#define GLOBAL_ID gl_GlobalInvocationID
#define BODIES(i) bodies_[i]
#define BODIES_LENGTH bodies_.length()
#define VELOCITIES(i) velocities_[i]
#endif
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Bodies { vec4 bodies_[]; };
layout(set = 0, binding = 1) buffer Velocities { vec4 velocities_[]; };
layout(push_constant) uniform Arguments
{
    uvec3 size; float time;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
    layout(offset = 48) uvec2 bodies_view;
    layout(offset = 56) uvec2 velocities_view;
#endif
};

const uint THREADS = 64;
const float SOFTENING = 1e-4;

shared vec4 tile[THREADS];

vec3 pull(vec3 at, vec4 body)
{
    EXACT vec3 way = body.xyz - at;
    EXACT float square = dot(way, way) + SOFTENING;
    EXACT vec3 strength = way * (body.w * inversesqrt(square) / square);
    return strength;
}

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    uint count = BODIES_LENGTH;
    bool inside = all(lessThan(GLOBAL_ID, size));
    vec3 at = inside ? BODIES(GLOBAL_ID.x).xyz : vec3(0);

    EXACT vec3 sum = vec3(0);
    for (uint first = 0; first < count; first += THREADS)
    {
        uint other = first + gl_LocalInvocationID.x;
        tile[gl_LocalInvocationID.x] = other < count ? BODIES(other) : vec4(0);
        barrier();

        for (uint i = 0; i < THREADS; ++i)
            sum += pull(at, tile[i]);
        barrier();
    }
    if (inside)
    {
        EXACT vec3 velocity = VELOCITIES(GLOBAL_ID.x).xyz + time * sum;
        VELOCITIES(GLOBAL_ID.x).xyz = velocity;
    }
}
