import { faultyLink } from '../agents/drivers/index.js';
import { compilePattern, faultyTransport, type SubjectPattern } from '../mcp/transport/index.js';
import type { Clock } from '../shared/clock.js';
import { type FaultPlan, type Faults, type Matches, openFaults } from '../shared/fault-plan.js';
import type { Random } from '../shared/random.js';
import { skewedClock } from '../shared/skewed-clock.js';
import { type DealtDoors, dealDoors, type SiteDoors } from './component-doors.js';

/** A plan at work over subjects and links. Its time begins now. */
export function openSiteFaults(clock: Clock, random: Random, plan: FaultPlan): Faults {
  const compiled = new Map<string, SubjectPattern>();
  const matches: Matches = (pattern, name) => {
    const known = compiled.get(pattern) ?? compilePattern(pattern);
    compiled.set(pattern, known);
    return known.matches(name);
  };
  return openFaults({ clock, random, matches }, plan);
}

/**
 * The doors of a site with the faults of a plan on every place's bus, log, liveness, links and wall clock. Crashes of a
 * plan are not among them: they are for whoever can start a component again.
 */
export function withFaults(doors: SiteDoors, faults: Faults): SiteDoors & Required<Pick<SiteDoors, 'dealTo'>> {
  const { clock, logger } = doors;
  return {
    ...doors,
    async dealTo(component): Promise<DealtDoors> {
      const own = await dealDoors(doors, component);
      return {
        ...own,
        transport: faultyTransport(own.transport, { faults, clock, component, logger }),
        clock: skewedClock(own.clock, () => faults.skewOf(component)),
        openLink: (link) => faultyLink(own.openLink(link), { faults, clock, component, link }),
      };
    },
  };
}
