import type { GoalState, StepState } from './contract.js';
import { english } from './language-en.js';
import { chinese } from './language-zh.js';
import type { Feed } from './watch-goal.js';

export type Language = 'zh' | 'en';

/** Every word the page says by itself; both languages must have all of them. */
export interface Texts {
  readonly htmlLang: string;
  readonly product: string;
  readonly tagline: string;
  readonly switchLanguage: string;
  readonly skip: string;
  readonly goalLabel: string;
  readonly goalHint: string;
  readonly run: string;
  readonly sending: string;
  readonly examples: string;
  readonly exampleGoals: readonly string[];
  readonly session: string;
  readonly noSession: string;
  readonly newConversation: string;
  readonly joinConversation: string;
  readonly goal: string;
  readonly noGoal: string;
  readonly cancel: string;
  readonly cancelling: string;
  readonly goalStates: Readonly<Record<GoalState, string>>;
  readonly phases: Readonly<Record<string, string>>;
  readonly stepStates: Readonly<Record<StepState, string>>;
  readonly feeds: Readonly<Record<Feed, string>>;
  readonly waitingFor: string;
  readonly steps: string;
  readonly noSteps: string;
  readonly noStepsNeeded: string;
  readonly parallel: string;
  readonly attempts: (count: number) => string;
  readonly after: string;
  readonly condition: string;
  readonly conditionNotMet: string;
  readonly why: string;
  readonly params: string;
  readonly result: string;
  readonly error: string;
  readonly whereItFailed: string;
  readonly suggestion: string;
  readonly rolledBack: (ms: string) => string;
  readonly notRolledBack: string;
  readonly degraded: string;
  readonly servedBy: string;
  readonly raw: string;
  readonly prompt: string;
  readonly missing: string;
  readonly yourAnswer: string;
  readonly send: string;
  readonly approval: string;
  readonly approve: string;
  readonly reject: string;
  readonly comment: string;
  readonly effects: string;
  readonly predicted: string;
  readonly rollback: string;
  readonly requester: string;
  readonly expires: string;
  readonly answer: string;
  readonly trace: string;
  readonly traceLoading: string;
  readonly traceEmpty: string;
  readonly stage: string;
  readonly component: string;
  readonly offset: string;
  readonly duration: string;
  readonly total: string;
  readonly usage: (steps: number, tokens: number) => string;
  readonly record: string;
  readonly audit: string;
  readonly memory: string;
  readonly agents: string;
  readonly noAgents: string;
  readonly methods: string;
  readonly load: string;
  readonly circuits: string;
  readonly devices: string;
  readonly filterDevices: string;
  readonly noDevices: string;
  readonly zone: string;
  readonly link: string;
  readonly unit: string;
  readonly noPoints: string;
  readonly point: string;
  readonly value: string;
  readonly quality: string;
  readonly qualities: Readonly<Record<string, string>>;
  readonly sourceTime: string;
  readonly recentGoals: string;
  readonly noGoals: string;
  readonly unreachable: string;
  readonly tooBusy: (seconds: number) => string;
  readonly tokenNeeded: string;
  readonly token: string;
  readonly useToken: string;
  readonly loading: string;
}

export const TEXTS: Readonly<Record<Language, Texts>> = { zh: chinese, en: english };

const KEY = 'hermes.language';

/** The language chosen last, else the browser's. */
export function initialLanguage(storage: Pick<Storage, 'getItem'>, preferred: string): Language {
  const kept = storage.getItem(KEY);
  if (kept === 'zh' || kept === 'en') return kept;
  return preferred.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export const keepLanguage = (storage: Pick<Storage, 'setItem'>, language: Language): void =>
  storage.setItem(KEY, language);
