/**
 * Answers: prose out of facts, by templates, in the language of the question.
 *  1. Nothing here can write memory: a reply is an explanation, a snapshot is a fact.
 */
export { aboutOf } from './about.js';
export { type Answer, type AnswerSources, type Report, renderAnswer, renderOutcome } from './answer.js';
export { speechOf } from './speech.js';
export { fillTemplate, parseTemplate, type Speech, show } from './template.js';
export { templateToCel } from './template-cel.js';
