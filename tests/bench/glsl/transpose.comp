// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
#ifdef GUARDED
// A dispatch may be a part of a larger one, and a buffer a view that begins anywhere in another.
#define GLOBAL_ID global_id
#define GROUP_ID (gl_WorkGroupID + group_offset)
#define SOURCE(i) source_[source_view.x + (i)]
#define TARGET(i) target_[target_view.x + (i)]
#else
#define GLOBAL_ID gl_GlobalInvocationID
#define GROUP_ID gl_WorkGroupID
#define SOURCE(i) source_[i]
#define TARGET(i) target_[i]
#endif
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer Source { float source_[]; };
layout(set = 0, binding = 1) buffer Target { float target_[]; };
layout(push_constant) uniform Arguments
{
    uvec3 size;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
    layout(offset = 48) uvec2 source_view;
    layout(offset = 56) uvec2 target_view;
#endif
};

const uint TILE = 16;

shared float tile[TILE][TILE + 1];

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    uint columns = size.x;
    uint rows = size.y;

    if (all(lessThan(GLOBAL_ID, size)))
        tile[gl_LocalInvocationID.y][gl_LocalInvocationID.x] = SOURCE(GLOBAL_ID.y * columns + GLOBAL_ID.x);
    barrier();

    uvec2 at = GROUP_ID.yx * TILE + gl_LocalInvocationID.xy;
    if (at.x < rows && at.y < columns)
        TARGET(at.y * rows + at.x) = tile[gl_LocalInvocationID.x][gl_LocalInvocationID.y];
}
