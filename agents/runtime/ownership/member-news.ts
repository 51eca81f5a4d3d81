import type { Member, MemberChange } from '../../../mcp/transport/index.js';

/**
 * Which changes of a component's members are a reason to look who owns what: who comes, goes, or changes its state.
 * What members say they own is none. The record says it, and a look at each word of one's own would never end.
 */
export function createMemberNews(component: string): (change: MemberChange) => boolean {
  const states = new Map<string, Member['state']>();
  return ({ kind, member: { component: name, instance, state } }) => {
    if (name !== component) return false;
    const before = states.get(instance);
    if (kind === 'left' || kind === 'expired') states.delete(instance);
    else states.set(instance, state);
    return kind !== 'changed' || state !== before;
  };
}
