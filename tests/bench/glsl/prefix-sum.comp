// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
#ifdef GUARDED
// A dispatch may be a part of a larger one, and a buffer a view that begins anywhere in another.
#define GLOBAL_ID global_id
#define GROUP_ID (gl_WorkGroupID + group_offset)
#define VALUES(i) values_[values_view.x + (i)]
#define VALUES_LENGTH values_view.y
#define BEFORE(i) before_[before_view.x + (i)]
#define SUMS(i) sums_[sums_view.x + (i)]
#else
#define GLOBAL_ID gl_GlobalInvocationID
#define GROUP_ID gl_WorkGroupID
#define VALUES(i) values_[i]
#define VALUES_LENGTH values_.length()
#define BEFORE(i) before_[i]
#define SUMS(i) sums_[i]
#endif
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer Values { uint values_[]; };
layout(set = 0, binding = 1) buffer Before { uint before_[]; };
layout(set = 0, binding = 2) buffer Sums { uint sums_[]; };
layout(push_constant) uniform Arguments
{
    uvec3 size;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
    layout(offset = 48) uvec2 values_view;
    layout(offset = 56) uvec2 before_view;
    layout(offset = 64) uvec2 sums_view;
#endif
};

const uint THREADS = 256;
const uint EACH = 4;

shared uint until[THREADS];

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    uint me = gl_LocalInvocationID.x;
    uint first = GLOBAL_ID.x * EACH;

    uint mine[EACH];
    uint sum = 0;
    for (uint i = 0; i < EACH; ++i)
    {
        mine[i] = sum;
        if (first + i < VALUES_LENGTH)
            sum += VALUES(first + i);
    }

    until[me] = sum;
    for (uint reach = 1; reach < THREADS; reach *= 2)
    {
        barrier();
        uint more = me >= reach ? until[me - reach] : 0;
        barrier();
        until[me] += more;
    }

    for (uint i = 0; i < EACH; ++i)
        if (first + i < VALUES_LENGTH)
            BEFORE(first + i) = until[me] - sum + mine[i];
    if (me == THREADS - 1)
        SUMS(GROUP_ID.x) = until[me];
}
