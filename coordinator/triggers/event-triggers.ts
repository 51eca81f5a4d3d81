import { compileCondition } from '../../agents/runtime/index.js';
import type { Event, Events } from '../../mcp/index.js';
import { toHermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { GoalPort } from '../goals/goal-port.js';
import { type Playbook, slotsOf, utterancesOf, valuesIn } from '../playbooks/index.js';

/** Who asks when nobody does. */
const TRIGGER = { id: 'system:trigger', roles: ['operator'] };

/**
 * Starts a playbook's goal when an event says so: the goal is the playbook's own first utterance with the event's
 * values, submitted like anybody's. The event's id is its key, so that one event starts one goal.
 */
export function startEventTriggers(
  deps: {
    readonly events: Events;
    readonly logger: Logger;
    readonly site: Site;
    readonly submit: GoalPort['submit'];
  },
  playbooks: readonly Playbook[],
): { stop(): void } {
  const { events, logger, site, submit } = deps;
  const heard = playbooks.flatMap((playbook) =>
    playbook.triggers.flatMap((trigger) => {
      if (!('event' in trigger)) return [];
      const applies = trigger.when === undefined ? () => true : compileCondition(trigger.when, '/when', 'event');
      return [{ playbook, topic: trigger.event, applies }];
    }),
  );
  const begin = async ({ event_id, data }: Event, playbook: Playbook): Promise<void> => {
    const values = Object.fromEntries(slotsOf(playbook).map((slot) => [slot, slotFrom(slot, data, site)]));
    const missing = Object.keys(values).filter((slot) => values[slot] === undefined);
    if (missing.length > 0) {
      logger.warn({ event_id, playbook: playbook.name, missing }, 'an event does not say what its playbook needs');
      return;
    }
    const goal = valuesIn(utterancesOf(playbook)[0] as string, values);
    await submit({ goal }, TRIGGER, `event:${event_id}:${playbook.name}`);
  };
  const subscriptions = [...new Set(heard.map(({ topic }) => topic))].map((topic) =>
    events.on(topic, async (event) => {
      for (const { playbook, applies, topic: wanted } of heard) {
        if (wanted !== topic || !holds(applies, event)) continue;
        await begin(event, playbook).catch((thrown: unknown) => {
          const { reason, message } = toHermesError(thrown);
          logger.error(
            { event_id: event.event_id, playbook: playbook.name, reason, detail: message },
            'trigger failed',
          );
        });
      }
    }),
  );
  return {
    stop() {
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}

/**
 * What an event says of a slot: an id of the site and nothing else, since it becomes part of a sentence. A device that
 * is named gives its zone and its floor.
 */
function slotFrom(slot: string, data: Readonly<Record<string, unknown>>, site: Site): unknown {
  const zones = site.floors.flatMap(({ floor, zones: own }) => own.map(({ id }) => ({ id, floor })));
  const device = site.devices.find(({ id }) => id === data.device_id);
  const zone = zones.find(({ id }) => id === (data.zone ?? device?.zone));
  switch (slot) {
    case 'device':
      return device?.id;
    case 'zone':
      return zone?.id;
    case 'floor':
      return site.floors.find(({ floor }) => floor === (data.floor ?? zone?.floor ?? device?.floor))?.floor;
    default:
      return site.people.find(({ id }) => id === data.person)?.id;
  }
}

/** An event that lacks what the condition speaks of is not the one that is meant. */
function holds(applies: (event: unknown) => boolean, event: Event): boolean {
  try {
    return applies(event);
  } catch {
    return false;
  }
}
