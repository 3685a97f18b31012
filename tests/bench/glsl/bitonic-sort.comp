// SPDX-License-Identifier: LGPL-2.1-or-later
#version 450
#ifdef GUARDED
// A dispatch may be a part of a larger one, and a buffer a view that begins anywhere in another.
#define GLOBAL_ID global_id
#define GROUP_ID (gl_WorkGroupID + group_offset)
#define VALUES(i) values_[values_view.x + (i)]
#define VALUES_LENGTH values_view.y
#else
#define GLOBAL_ID gl_GlobalInvocationID
#define GROUP_ID gl_WorkGroupID
#define VALUES(i) values_[i]
#define VALUES_LENGTH values_.length()
#endif
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Values { uint values_[]; };
layout(push_constant) uniform Arguments
{
    uvec3 size;
#ifdef GUARDED
    layout(offset = 32) uvec3 group_offset;
    layout(offset = 48) uvec2 values_view;
#endif
};

const uint THREADS = 256;
const uint BLOCK = 2 * THREADS;

struct Pair { uint low; uint high; };

Pair mirrored(uint thread, uint span)
{
    uint n = thread & (span / 2 - 1);
    uint start = (thread - n) * 2;

    Pair pair;
    pair.low = start + n;
    pair.high = start + span - 1 - n;
    return pair;
}

Pair apart(uint thread, uint distance)
{
    uint n = thread & (distance - 1);

    Pair pair;
    pair.low = (thread - n) * 2 + n;
    pair.high = pair.low + distance;
    return pair;
}

void order(inout uint low, inout uint high)
{
    uint smaller = min(low, high);
    high = max(low, high);
    low = smaller;
}

shared uint block[BLOCK];

void main()
{
#ifdef GUARDED
    uvec3 global_id = gl_GlobalInvocationID + group_offset * gl_WorkGroupSize;
#endif
    uint me = gl_LocalInvocationID.x;
    uint start = GROUP_ID.x * BLOCK;

    for (uint i = me; i < BLOCK; i += THREADS)
        block[i] = start + i < VALUES_LENGTH ? VALUES(start + i) : 0xffffffff;

    for (uint span = 2; span <= BLOCK; span *= 2)
    {
        barrier();
        Pair pair = mirrored(me, span);
        order(block[pair.low], block[pair.high]);

        for (uint distance = span / 4; distance > 0; distance /= 2)
        {
            barrier();
            pair = apart(me, distance);
            order(block[pair.low], block[pair.high]);
        }
    }
    barrier();

    for (uint i = me; i < BLOCK; i += THREADS)
        if (start + i < VALUES_LENGTH)
            VALUES(start + i) = block[i];
}
