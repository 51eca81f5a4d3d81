/**
 * Triggers: goals that nobody asks for in words.
 *  1. A trigger's goal is a goal like any other, with a sentence, a principal (`system:trigger`) and a record.
 *  2. One event starts one goal, however often it is heard and by how many coordinators.
 */
export { startEventTriggers } from './event-triggers.js';
