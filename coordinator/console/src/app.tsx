import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { AgentsPanel } from './agents-panel.js';
import { type Api, createApi } from './api.js';
import { type BrowserClock, randomKey } from './browser-clock.js';
import { ConsoleContext, type ConsoleDoors } from './console-context.js';
import { DevicesPanel } from './devices-panel.js';
import { GoalBox } from './goal-box.js';
import { GoalPanel } from './goal-panel.js';
import { GoalsPanel } from './goals-panel.js';
import { initialLanguage, keepLanguage, type Language, TEXTS } from './language.js';
import { asProblem, type Problem } from './problem.js';
import { TokenBox } from './token-box.js';
import { type Place, usePlace } from './use-place.js';
import { type GoalView, watchGoal } from './watch-goal.js';

const TOKEN = 'hermes.token';

function useGoalView(api: Api, clock: BrowserClock, goalId: string | undefined): GoalView | undefined {
  const [view, setView] = useState<{ readonly id: string; readonly view: GoalView }>();
  useEffect(() => {
    if (goalId === undefined) return;
    return watchGoal(api, clock, goalId, (next) => setView({ id: goalId, view: next }));
  }, [api, clock, goalId]);
  if (goalId === undefined) return undefined;
  return view?.id === goalId ? view.view : { feed: 'connecting' };
}

interface Submit {
  readonly sending: boolean;
  readonly problem: Problem | undefined;
  submit(goal: string): Promise<boolean>;
}

/** Sends a goal; the same words sent again after a lost reply carry the same key, so that one goal comes of it. */
function useSubmit(api: Api, place: Place): Submit {
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const pending = useRef<{ readonly words: string; readonly key: string }>(undefined);
  const submit = async (goal: string): Promise<boolean> => {
    const words = JSON.stringify([goal, place.sessionId]);
    if (pending.current?.words !== words) pending.current = { words, key: randomKey() };
    setSending(true);
    setProblem(undefined);
    try {
      const accepted = await api.submitGoal(goal, place.sessionId, pending.current.key);
      pending.current = undefined;
      place.joinSession(accepted.session_id);
      place.openGoal(accepted.goal_id);
      return true;
    } catch (error) {
      const refusal = asProblem(error);
      setProblem(refusal);
      if (refusal.status !== 0) pending.current = undefined;
      return false;
    } finally {
      setSending(false);
    }
  };
  return { sending, problem, submit };
}

function useLanguage(): readonly [Language, () => void] {
  const [language, setLanguage] = useState(() => initialLanguage(localStorage, navigator.language));
  useEffect(() => {
    document.documentElement.lang = TEXTS[language].htmlLang;
    document.title = TEXTS[language].product;
  }, [language]);
  const toggle = () => {
    const next = language === 'zh' ? 'en' : 'zh';
    keepLanguage(localStorage, next);
    setLanguage(next);
  };
  return [language, toggle];
}

/** An Api that tells when the coordinator wants a token. */
function useApi(): { readonly api: Api; readonly locked: boolean; readonly unlock: (token: string) => void } {
  const [token, setToken] = useState(() => sessionStorage.getItem(TOKEN) ?? undefined);
  const [locked, setLocked] = useState(false);
  const api = useMemo(
    () =>
      createApi(
        () => token,
        () => setLocked(true),
      ),
    [token],
  );
  const unlock = useCallback((held: string) => {
    sessionStorage.setItem(TOKEN, held);
    setLocked(false);
    setToken(held);
  }, []);
  return { api, locked, unlock };
}

export function App({ clock }: { readonly clock: BrowserClock }) {
  const [language, toggleLanguage] = useLanguage();
  const { api, locked, unlock } = useApi();
  const place = usePlace();
  const view = useGoalView(api, clock, place.goalId);
  const { sending, problem, submit } = useSubmit(api, place);
  const box = useRef<HTMLTextAreaElement>(null);
  const text = TEXTS[language];
  const doors = useMemo<ConsoleDoors>(() => ({ api, clock, language, text }), [api, clock, language, text]);

  const newConversation = () => {
    place.joinSession(undefined);
    place.openGoal(undefined);
    box.current?.focus();
  };
  const onAnswered = (goalId: string | undefined) => {
    document.getElementById('goal-title')?.focus();
    if (goalId !== undefined && goalId !== place.goalId) place.openGoal(goalId);
  };
  return (
    <ConsoleContext value={doors}>
      <button type="button" className="skip" onClick={() => box.current?.focus()}>
        {text.skip}
      </button>
      <header className="top">
        <h1>
          {text.product} <span className="muted">{text.tagline}</span>
        </h1>
        <button type="button" className="quiet" lang={language === 'zh' ? 'en' : 'zh-CN'} onClick={toggleLanguage}>
          {text.switchLanguage}
        </button>
      </header>
      <main>
        <div className="column">
          {locked && <TokenBox onToken={unlock} />}
          <GoalBox
            {...{ box, sending, problem }}
            sessionId={place.sessionId}
            onSubmit={submit}
            onNewConversation={newConversation}
          />
          {view ? (
            <GoalPanel view={view} sessionId={place.sessionId} onJoin={place.joinSession} onAnswered={onAnswered} />
          ) : (
            <p className="panel muted">{text.noGoal}</p>
          )}
        </div>
        <div className="column">
          <GoalsPanel currentId={place.goalId} version={`${place.goalId} ${view?.goal?.state}`} />
          <AgentsPanel />
          <DevicesPanel />
        </div>
      </main>
    </ConsoleContext>
  );
}
