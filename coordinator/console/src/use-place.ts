import { useCallback, useEffect, useState } from 'react';

const SESSION = 'hermes.session';
const goalInHash = (): string | undefined => new URLSearchParams(location.hash.slice(1)).get('goal') ?? undefined;

export interface Place {
  readonly goalId: string | undefined;
  readonly sessionId: string | undefined;
  openGoal(goalId: string | undefined): void;
  joinSession(sessionId: string | undefined): void;
}

/** Which goal is shown (in the address, so that it can be shared) and which conversation goes on (in this tab). */
export function usePlace(): Place {
  const [goalId, setGoalId] = useState(goalInHash);
  const [sessionId, setSessionId] = useState(() => sessionStorage.getItem(SESSION) ?? undefined);
  useEffect(() => {
    const follow = () => setGoalId(goalInHash());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const openGoal = useCallback((id: string | undefined) => {
    location.hash = id === undefined ? '' : `goal=${encodeURIComponent(id)}`;
    setGoalId(id);
  }, []);
  const joinSession = useCallback((id: string | undefined) => {
    if (id === undefined) sessionStorage.removeItem(SESSION);
    else sessionStorage.setItem(SESSION, id);
    setSessionId(id);
  }, []);
  return { goalId, sessionId, openGoal, joinSession };
}
