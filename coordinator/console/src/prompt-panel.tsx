import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useConsole } from './console-context.js';
import type { Candidate, Prompt } from './contract.js';
import { asProblem, type Problem } from './problem.js';
import { ProblemNote } from './problem-note.js';

const shownAs = (candidate: string | Candidate): string =>
  typeof candidate === 'string'
    ? candidate
    : (candidate.text ?? candidate.label ?? candidate.name ?? candidate.value ?? candidate.id ?? '');

const saidAs = (candidate: string | Candidate): string =>
  typeof candidate === 'string' ? candidate : (candidate.value ?? candidate.id ?? shownAs(candidate));

export interface PromptPanelProps {
  readonly prompt: Prompt;
  readonly sessionId: string;
  onAnswered(goalId: string | undefined): void;
}

/** Takes the focus only from an idle place: a person who types elsewhere is not interrupted. */
function mayTakeFocus(): boolean {
  const at = document.activeElement;
  if (at === null || at === document.body) return true;
  return at instanceof HTMLTextAreaElement && at.value === '';
}

/** A question that holds up the goal: one click on a candidate, or a free answer. */
export function PromptPanel({ prompt, sessionId, onAnswered }: PromptPanelProps) {
  const { api, text } = useConsole();
  const [answer, setAnswer] = useState('');
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (mayTakeFocus()) panel.current?.querySelector<HTMLElement>('button, input')?.focus();
  }, []);
  const say = async (words: string) => {
    if (words.trim() === '' || sending) return;
    setSending(true);
    setProblem(undefined);
    try {
      onAnswered((await api.say(sessionId, words.trim())).goal_id);
    } catch (error) {
      setProblem(asProblem(error));
    }
    setSending(false);
  };
  const onForm = (event: FormEvent) => {
    event.preventDefault();
    void say(answer);
  };
  const candidates = prompt.candidates ?? [];
  return (
    <section className="prompt" aria-labelledby="prompt-title" ref={panel}>
      <h3 id="prompt-title">{text.prompt}</h3>
      <p className="prompt-text">{prompt.text}</p>
      {(prompt.missing?.length ?? 0) > 0 && (
        <p className="small">
          <span className="muted">{text.missing}</span> <code>{prompt.missing?.join(', ')}</code>
          {prompt.reason && <span className="muted"> · {prompt.reason}</span>}
        </p>
      )}
      {candidates.length > 0 && (
        <p className="candidates">
          {candidates.map((candidate) => (
            <button key={saidAs(candidate)} type="button" disabled={sending} onClick={() => say(saidAs(candidate))}>
              {shownAs(candidate)}
            </button>
          ))}
        </p>
      )}
      <form className="answer-entry" onSubmit={onForm}>
        <label htmlFor="prompt-answer">{text.yourAnswer}</label>
        <input
          id="prompt-answer"
          value={answer}
          autoComplete="off"
          onChange={(event) => setAnswer(event.target.value)}
        />
        <button type="submit" className="primary" disabled={sending || answer.trim() === ''}>
          {text.send}
        </button>
      </form>
      <ProblemNote problem={problem} />
    </section>
  );
}
