import type { SlotValue } from './draft.js';
import type { Entity } from './language/entities.js';

/** The values of an entity as a draft keeps them. */
export const valuesOf = (entity: Entity): SlotValue[] =>
  entity.values.map((value) => ({ kind: entity.kind, ...value }));
